/** Types of pods as they are observed, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const podStatusTypes: string = `
@ io.k8s.api.core.v1
PodStatus
  allocatedResources {}Quantity #19
  conditions []PodCondition #2 map=type patch=merge:type | What is true of the pod at the moment, such as PodScheduled and Ready.
  containerStatuses []ContainerStatus #8 | State of each container.
  ephemeralContainerStatuses []ContainerStatus #13
  extendedResourceClaimStatus PodExtendedResourceClaimStatus #18*
  hostIP string #5
  hostIPs []HostIP #16 patch=merge:ip
  initContainerStatuses []ContainerStatus #10
  message string #3 | Why the pod is in its phase, for people.
  nodeAllocatableResourceClaimStatuses []NodeAllocatableResourceClaimStatus #21
  nominatedNodeName string #11 | Node on which a scheduler makes room for the pod.
  observedGeneration int64 #17
  phase string #1 | Pending, Running, Succeeded, Failed or Unknown.
  podIP string #6
  podIPs []PodIP #12 map=ip patch=merge:ip
  qosClass string #9 | Guaranteed, Burstable or BestEffort, out of cpu and memory.
  reason string #4 | Why the pod is in its phase, as one word.
  resize string #14
  resourceClaimStatuses []PodResourceClaimStatus #15 map=name patch=merge,retainKeys:name
  resources ResourceRequirements #20*
  startTime Time #7* | When the kubelet took the pod.
PodCondition
  lastProbeTime Time #3
  lastTransitionTime Time #4
  message string #6
  observedGeneration int64 #7
  reason string #5
  status string! #2
  type string! #1
ContainerStatus
  allocatedResources {}Quantity #10
  allocatedResourcesStatus []ResourceStatus #14 map=name patch=merge:name | Health of the devices that the container holds.
  containerID string #8
  image string! #6
  imageID string! #7
  lastState ContainerState #3
  name string! #1
  ready bool! #4 | Whether the container serves.
  resources ResourceRequirements #11*
  restartCount int32! #5 | How often the container was started again.
  started bool #9*
  state ContainerState #2
  stopSignal string #15*
  user ContainerUser #13*
  volumeMounts []VolumeMountStatus #12 map=mountPath patch=merge:mountPath
ResourceStatus
  name string! #1
  resources []ResourceHealth #2 map=resourceID
ResourceHealth
  health string #2
  message string #6*
  resourceID string! #1
ContainerState
  running ContainerStateRunning #2*
  terminated ContainerStateTerminated #3*
  waiting ContainerStateWaiting #1*
ContainerStateRunning
  startedAt Time #1
ContainerStateTerminated
  containerID string #7
  exitCode int32! #1
  finishedAt Time #6
  message string #4
  reason string #3
  signal int32 #2
  startedAt Time #5
ContainerStateWaiting
  message string #2
  reason string #1
ContainerUser
  linux LinuxContainerUser #1*
LinuxContainerUser
  gid int64! #2
  supplementalGroups []int64 #3
  uid int64! #1
VolumeMountStatus
  mountPath string! #2
  name string! #1
  readOnly bool #3
  recursiveReadOnly string #4*
  volumeStatus VolumeStatus #5*
PodExtendedResourceClaimStatus
  requestMappings []ContainerExtendedResourceRequest! #1
  resourceClaimName string! #2
ContainerExtendedResourceRequest
  containerName string! #1
  requestName string! #3
  resourceName string! #2
HostIP
  ip string! #1
PodIP
  ip string! #1
PodResourceClaimStatus
  name string! #1
  resourceClaimName string #2*
`
