/** Types of the other groups, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const otherTypes: string = `
@ io.k8s.api.coordination.v1
Lease object | Who holds something, and until when.
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec LeaseSpec #2
LeaseSpec
  acquireTime MicroTime #3*
  holderIdentity string #1*
  leaseDurationSeconds int32 #2*
  leaseTransitions int32 #5*
  preferredHolder string #7*
  renewTime MicroTime #4*
  strategy string #6*
@ io.k8s.api.discovery.v1
EndpointSlice object
  addressType string! #4
  endpoints []Endpoint #2
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  ports []SliceEndpointPort #3
Endpoint
  addresses []string! #1 set
  conditions EndpointConditions #2
  deprecatedTopology {}string #5
  hints EndpointHints #8*
  hostname string #3*
  nodeName string #6*
  targetRef ObjectReference #4*
  zone string #7*
EndpointConditions
  ready bool #1*
  serving bool #2*
  terminating bool #3*
EndpointHints
  forNodes []ForNode #2
  forZones []ForZone #1
ForNode
  name string! #1
ForZone
  name string! #1
SliceEndpointPort atomic
  appProtocol string #4*
  name string #1*
  port int32 #3*
  protocol string #2*
@ io.k8s.api.storage.v1
StorageClass object | A way to make storage on demand.
  allowVolumeExpansion bool #6*
  allowedTopologies []TopologySelectorTerm #8
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  mountOptions []string #5
  parameters {}string #3
  provisioner string! #2
  reclaimPolicy string #4*
  volumeBindingMode string #7*
CSINode object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec CSINodeSpec! #2
CSINodeSpec
  drivers []CSINodeDriver! #1 map=name patch=merge:name
CSINodeDriver
  allocatable VolumeNodeResources #4*
  name string! #1
  nodeID string! #2
  topologyKeys []string #3
VolumeNodeResources
  count int32 #1*
VolumeAttachment object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec VolumeAttachmentSpec! #2
  status VolumeAttachmentStatus #3
VolumeAttachmentSpec
  attacher string! #1
  nodeName string! #3
  source VolumeAttachmentSource! #2
VolumeAttachmentSource
  inlineVolumeSpec PersistentVolumeSpec
  persistentVolumeName string #1*
VolumeAttachmentStatus
  attachError VolumeError #3*
  attached bool! #1
  attachmentMetadata {}string #2
  detachError VolumeError #4*
VolumeError
  errorCode int32 #3*
  message string #2
  time Time #1
CSIDriver object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec CSIDriverSpec! #2
CSIDriverSpec
  attachRequired bool #1*
  fsGroupPolicy string #5*
  nodeAllocatableUpdatePeriodSeconds int64 #9*
  podInfoOnMount bool #2*
  preventPodSchedulingIfMissing bool #11*
  requiresRepublish bool #7*
  seLinuxMount bool #8*
  serviceAccountTokenInSecrets bool #10*
  storageCapacity bool #4*
  tokenRequests []TokenRequest #6
  volumeLifecycleModes []string #3 set
TokenRequest
  audience string! #1
  expirationSeconds int64 #2*
CSIStorageCapacity object
  capacity Quantity #4*
  maximumVolumeSize Quantity #5*
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  nodeTopology LabelSelector #2*
  storageClassName string! #3
@ io.k8s.api.scheduling.v1
PriorityClass object | A name for a priority.
  description string #4
  globalDefault bool #3 | Pods without a class get this one.
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  preemptionPolicy string #5*
  value int32 #2 | The number that pods of the class get.
@ io.k8s.api.policy.v1
PodDisruptionBudget object | How many of a set of pods may be evicted at a time.
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec PodDisruptionBudgetSpec #2
  status PodDisruptionBudgetStatus #3
PodDisruptionBudgetSpec
  maxUnavailable IntOrString #3* | Number or percentage of pods that may be missing.
  minAvailable IntOrString #1* | Number or percentage of pods that must stay.
  selector LabelSelector #2* patch=replace | The pods that are meant.
  unhealthyPodEvictionPolicy string #4*
PodDisruptionBudgetStatus
  conditions []Condition #7 map=type patch=merge:type
  currentHealthy int32 #4
  desiredHealthy int32 #5
  disruptedPods {}Time #2
  disruptionsAllowed int32 #3
  expectedPods int32 #6
  observedGeneration int64 #1
Eviction object
  deleteOptions DeleteOptions #2*
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
@ io.k8s.api.events.v1
RegardingEvent object
  action string #6
  deprecatedCount int32 #15
  deprecatedFirstTimestamp Time #13
  deprecatedLastTimestamp Time #14
  deprecatedSource EventSource #12
  eventTime MicroTime! #2
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  note string #10
  reason string #7
  regarding ObjectReference #8
  related ObjectReference #9*
  reportingController string #4
  reportingInstance string #5
  series RegardingEventSeries #3*
  type string #11
RegardingEventSeries
  count int32! #1
  lastObservedTime MicroTime! #2
@ io.k8s.api.autoscaling.v1
Scale object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec ScaleSpec #2
  status ScaleStatus #3
ScaleSpec
  replicas int32 #1
ScaleStatus
  replicas int32! #1
  selector string #2
`
