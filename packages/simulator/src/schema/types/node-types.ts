/** Types of nodes, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const nodeTypes: string = `
@ io.k8s.api.core.v1
NodeAllocatableResourceClaimStatus
  containers []string set
  resourceClaimName string!
  resources {}Quantity!
Node object
  metadata ObjectMeta
  spec NodeSpec
  status NodeStatus
NodeSpec
  configSource any
  externalID string
  podCIDR string
  podCIDRs []string set patch=merge
  providerID string
  taints []Taint
  unschedulable bool
Taint
  effect string!
  key string!
  timeAdded Time
  value string
NodeStatus
  addresses []NodeAddress map=type patch=merge:type
  allocatable {}Quantity
  capacity {}Quantity
  conditions []NodeCondition map=type patch=merge:type
  config any
  daemonEndpoints NodeDaemonEndpoints
  declaredFeatures []string
  features NodeFeatures
  images []ContainerImage
  nodeInfo NodeSystemInfo
  phase string
  runtimeHandlers []NodeRuntimeHandler
  volumesAttached []AttachedVolume
  volumesInUse []string
NodeAddress
  address string!
  type string!
NodeCondition
  lastHeartbeatTime Time
  lastTransitionTime Time
  message string
  reason string
  status string!
  type string!
NodeDaemonEndpoints
  kubeletEndpoint DaemonEndpoint
DaemonEndpoint
  Port int32!
NodeFeatures
  supplementalGroupsPolicy bool
ContainerImage
  names []string
  sizeBytes int64
NodeSystemInfo
  architecture string!
  bootID string!
  containerRuntimeVersion string!
  kernelVersion string!
  kubeProxyVersion string!
  kubeletVersion string!
  machineID string!
  operatingSystem string!
  osImage string!
  swap NodeSwapStatus
  systemUUID string!
NodeSwapStatus
  capacity int64
NodeRuntimeHandler
  features NodeRuntimeHandlerFeatures
  name string
NodeRuntimeHandlerFeatures
  recursiveReadOnlyMounts bool
  userNamespaces bool
AttachedVolume
  devicePath string!
  name string!
`
