/** Other types of `core/v1`, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const coreTypes: string = `
@ io.k8s.api.core.v1
VolumeStatus
  image ImageVolumeStatus
ImageVolumeStatus
  imageRef string!
Namespace object
  metadata ObjectMeta
  spec NamespaceSpec
  status NamespaceStatus
NamespaceSpec
  finalizers []string
NamespaceStatus
  conditions []NamespaceCondition map=type patch=merge:type
  phase string
NamespaceCondition
  lastTransitionTime Time
  message string
  reason string
  status string!
  type string!
Service object
  metadata ObjectMeta
  spec ServiceSpec
  status ServiceStatus
ServiceSpec
  allocateLoadBalancerNodePorts bool
  clusterIP string
  clusterIPs []string
  externalIPs []string
  externalName string
  externalTrafficPolicy string
  healthCheckNodePort int32
  internalTrafficPolicy string
  ipFamilies []string
  ipFamilyPolicy string
  loadBalancerClass string
  loadBalancerIP string
  loadBalancerSourceRanges []string
  ports []ServicePort map=port,protocol patch=merge:port
  publishNotReadyAddresses bool
  selector {}string atomic
  sessionAffinity string
  sessionAffinityConfig SessionAffinityConfig
  trafficDistribution string
  type string
ServicePort
  appProtocol string
  name string
  nodePort int32
  port int32!
  protocol string
  targetPort IntOrString
SessionAffinityConfig
  clientIP ClientIPConfig
ClientIPConfig
  timeoutSeconds int32
ServiceStatus
  conditions []Condition map=type patch=merge:type
  loadBalancer LoadBalancerStatus
LoadBalancerStatus
  ingress []LoadBalancerIngress
LoadBalancerIngress
  hostname string
  ip string
  ipMode string
  ports []PortStatus
PortStatus
  error string
  port int32!
  protocol string!
Event object
  action string
  count int32
  eventTime MicroTime
  firstTimestamp Time
  involvedObject ObjectReference!
  lastTimestamp Time
  message string
  metadata ObjectMeta!
  reason string
  related ObjectReference
  reportingComponent string
  reportingInstance string
  series EventSeries
  source EventSource
  type string
ObjectReference atomic
  apiVersion string
  fieldPath string
  kind string
  name string
  namespace string
  resourceVersion string
  uid string
EventSeries
  count int32
  lastObservedTime MicroTime
EventSource
  component string
  host string
ConfigMap object
  binaryData {}bytes
  data {}string
  immutable bool
  metadata ObjectMeta
Secret object
  data {}bytes
  immutable bool
  metadata ObjectMeta
  stringData {}string
  type string
ServiceAccount object
  automountServiceAccountToken bool
  imagePullSecrets []LocalObjectReference
  metadata ObjectMeta
  secrets []ObjectReference map=name patch=merge:name
LocalVolumeSource
  fsType string
  path string!
ModifyVolumeStatus
  status string!
  targetVolumeAttributesClassName string
Endpoints object
  metadata ObjectMeta
  subsets []EndpointSubset
EndpointSubset
  addresses []EndpointAddress
  notReadyAddresses []EndpointAddress
  ports []EndpointPort
EndpointAddress atomic
  hostname string
  ip string!
  nodeName string
  targetRef ObjectReference
EndpointPort atomic
  appProtocol string
  name string
  port int32!
  protocol string
ReplicationController object
  metadata ObjectMeta
  spec ReplicationControllerSpec
  status ReplicationControllerStatus
ReplicationControllerSpec
  minReadySeconds int32
  replicas int32
  selector {}string atomic
  template PodTemplateSpec
ReplicationControllerStatus
  availableReplicas int32
  conditions []ReplicationControllerCondition map=type patch=merge:type
  fullyLabeledReplicas int32
  observedGeneration int64
  readyReplicas int32
  replicas int32!
ReplicationControllerCondition
  lastTransitionTime Time
  message string
  reason string
  status string!
  type string!
ResourceQuota object
  metadata ObjectMeta
  spec ResourceQuotaSpec
  status ResourceQuotaStatus
ResourceQuotaSpec
  hard {}Quantity
  scopeSelector ScopeSelector
  scopes []string
ScopeSelector atomic
  matchExpressions []ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement
  operator string!
  scopeName string!
  values []string
ResourceQuotaStatus
  hard {}Quantity
  used {}Quantity
LimitRange object
  metadata ObjectMeta
  spec LimitRangeSpec
LimitRangeSpec
  limits []LimitRangeItem!
LimitRangeItem
  default {}Quantity
  defaultRequest {}Quantity
  max {}Quantity
  maxLimitRequestRatio {}Quantity
  min {}Quantity
  type string!
Binding object
  metadata ObjectMeta
  target ObjectReference!
TopologySelectorTerm atomic
  matchLabelExpressions []TopologySelectorLabelRequirement
TopologySelectorLabelRequirement
  key string!
  values []string!
`
