/** Types of pods as they are observed, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const podStatusTypes: string = `
@ io.k8s.api.core.v1
PodStatus
  allocatedResources {}Quantity
  conditions []PodCondition map=type patch=merge:type
  containerStatuses []ContainerStatus
  ephemeralContainerStatuses []ContainerStatus
  extendedResourceClaimStatus PodExtendedResourceClaimStatus
  hostIP string
  hostIPs []HostIP patch=merge:ip
  initContainerStatuses []ContainerStatus
  message string
  nodeAllocatableResourceClaimStatuses []NodeAllocatableResourceClaimStatus
  nominatedNodeName string
  observedGeneration int64
  phase string
  podIP string
  podIPs []PodIP map=ip patch=merge:ip
  qosClass string
  reason string
  resize string
  resourceClaimStatuses []PodResourceClaimStatus map=name patch=merge,retainKeys:name
  resources ResourceRequirements
  startTime Time
PodCondition
  lastProbeTime Time
  lastTransitionTime Time
  message string
  observedGeneration int64
  reason string
  status string!
  type string!
ContainerStatus
  allocatedResources {}Quantity
  allocatedResourcesStatus []ResourceStatus map=name patch=merge:name
  containerID string
  image string!
  imageID string!
  lastState ContainerState
  name string!
  ready bool!
  resources ResourceRequirements
  restartCount int32!
  started bool
  state ContainerState
  stopSignal string
  user ContainerUser
  volumeMounts []VolumeMountStatus map=mountPath patch=merge:mountPath
ResourceStatus
  name string!
  resources []ResourceHealth map=resourceID
ResourceHealth
  health string
  message string
  resourceID string!
ContainerState
  running ContainerStateRunning
  terminated ContainerStateTerminated
  waiting ContainerStateWaiting
ContainerStateRunning
  startedAt Time
ContainerStateTerminated
  containerID string
  exitCode int32!
  finishedAt Time
  message string
  reason string
  signal int32
  startedAt Time
ContainerStateWaiting
  message string
  reason string
ContainerUser
  linux LinuxContainerUser
LinuxContainerUser
  gid int64!
  supplementalGroups []int64
  uid int64!
VolumeMountStatus
  mountPath string!
  name string!
  readOnly bool
  recursiveReadOnly string
  volumeStatus VolumeStatus
PodExtendedResourceClaimStatus
  requestMappings []ContainerExtendedResourceRequest!
  resourceClaimName string!
ContainerExtendedResourceRequest
  containerName string!
  requestName string!
  resourceName string!
HostIP
  ip string!
PodIP
  ip string!
PodResourceClaimStatus
  name string!
  resourceClaimName string
`
