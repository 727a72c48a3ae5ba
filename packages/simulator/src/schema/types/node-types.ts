/** Types of nodes, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const nodeTypes: string = `
@ io.k8s.api.core.v1
NodeAllocatableResourceClaimStatus
  containers []string #2 set
  resourceClaimName string! #1
  resources {}Quantity! #3
Node object | A machine that runs pods.
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec NodeSpec #2 | What an operator wants of the node.
  status NodeStatus #3 | What the kubelet says of the node.
NodeSpec
  configSource any #6*
  externalID string #2
  podCIDR string #1 | Addresses that pods of the node get.
  podCIDRs []string #7 set patch=merge
  providerID string #3 | Name that the cloud gives the machine.
  taints []Taint #5 | What keeps pods away unless they tolerate it.
  unschedulable bool #4 | No new pods while true.
Taint | Keeps pods off a node.
  effect string! #3 | NoSchedule, PreferNoSchedule or NoExecute.
  key string! #1 | Name of the taint.
  timeAdded Time #4*
  value string #2 | Value of the taint.
NodeStatus
  addresses []NodeAddress #5 map=type patch=merge:type | Where the node can be reached.
  allocatable {}Quantity #2 | What pods can get of each resource: the number that schedulers count with.
  capacity {}Quantity #1 | What the node has of each resource. Extended resources without a device plugin are advertised here.
  conditions []NodeCondition #4 map=type patch=merge:type | What is true of the node at the moment, such as Ready.
  config any #11*
  daemonEndpoints NodeDaemonEndpoints #6
  declaredFeatures []string #14
  features NodeFeatures #13*
  images []ContainerImage #8 | Images that lie on the node.
  nodeInfo NodeSystemInfo #7 | Versions and identities of kernel, runtime and kubelet.
  phase string #3
  runtimeHandlers []NodeRuntimeHandler #12
  volumesAttached []AttachedVolume #10
  volumesInUse []string #9
NodeAddress
  address string! #2
  type string! #1
NodeCondition
  lastHeartbeatTime Time #3
  lastTransitionTime Time #4
  message string #6
  reason string #5
  status string! #2
  type string! #1
NodeDaemonEndpoints
  kubeletEndpoint DaemonEndpoint #1
DaemonEndpoint
  Port int32! #1
NodeFeatures
  supplementalGroupsPolicy bool #1*
ContainerImage
  names []string #1
  sizeBytes int64 #2
NodeSystemInfo
  architecture string! #10
  bootID string! #3
  containerRuntimeVersion string! #6
  kernelVersion string! #4
  kubeProxyVersion string! #8
  kubeletVersion string! #7
  machineID string! #1
  operatingSystem string! #9
  osImage string! #5
  swap NodeSwapStatus #11*
  systemUUID string! #2
NodeSwapStatus
  capacity int64 #1*
NodeRuntimeHandler
  features NodeRuntimeHandlerFeatures #2*
  name string #1
NodeRuntimeHandlerFeatures
  recursiveReadOnlyMounts bool #1*
  userNamespaces bool #2*
AttachedVolume
  devicePath string! #2
  name string! #1
`
