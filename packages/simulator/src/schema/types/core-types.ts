/** Other types of `core/v1`, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const coreTypes: string = `
@ io.k8s.api.core.v1
VolumeStatus
  image ImageVolumeStatus #1*
ImageVolumeStatus
  imageRef string! #1
Namespace object | A scope for names.
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec NamespaceSpec #2
  status NamespaceStatus #3
NamespaceSpec
  finalizers []string #1
NamespaceStatus
  conditions []NamespaceCondition #2 map=type patch=merge:type
  phase string #1
NamespaceCondition
  lastTransitionTime Time #4
  message string #6
  reason string #5
  status string! #2
  type string! #1
Service object | One address for many pods.
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec ServiceSpec #2
  status ServiceStatus #3
ServiceSpec
  allocateLoadBalancerNodePorts bool #20*
  clusterIP string #3
  clusterIPs []string #18
  externalIPs []string #5
  externalName string #10
  externalTrafficPolicy string #11
  healthCheckNodePort int32 #12
  internalTrafficPolicy string #22*
  ipFamilies []string #19
  ipFamilyPolicy string #17*
  loadBalancerClass string #21*
  loadBalancerIP string #8
  loadBalancerSourceRanges []string #9
  ports []ServicePort #1 map=port,protocol patch=merge:port
  publishNotReadyAddresses bool #13
  selector {}string #2 atomic
  sessionAffinity string #7
  sessionAffinityConfig SessionAffinityConfig #14*
  trafficDistribution string #23*
  type string #4
ServicePort
  appProtocol string #6*
  name string #1
  nodePort int32 #5
  port int32! #3
  protocol string #2
  targetPort IntOrString #4
SessionAffinityConfig
  clientIP ClientIPConfig #1*
ClientIPConfig
  timeoutSeconds int32 #1*
ServiceStatus
  conditions []Condition #2 map=type patch=merge:type
  loadBalancer LoadBalancerStatus #1
LoadBalancerStatus
  ingress []LoadBalancerIngress #1
LoadBalancerIngress
  hostname string #2
  ip string #1
  ipMode string #3*
  ports []PortStatus #4
PortStatus
  error string #3*
  port int32! #1
  protocol string! #2
Event object | Something that happened to an object.
  action string #12
  count int32 #8
  eventTime MicroTime #10
  firstTimestamp Time #6
  involvedObject ObjectReference! #2
  lastTimestamp Time #7
  message string #4
  metadata ObjectMeta! #1 | Name, labels, owners and what else every object has.
  reason string #3
  related ObjectReference #13*
  reportingComponent string #14
  reportingInstance string #15
  series EventSeries #11*
  source EventSource #5
  type string #9
ObjectReference atomic
  apiVersion string #5
  fieldPath string #7
  kind string #1
  name string #3
  namespace string #2
  resourceVersion string #6
  uid string #4
EventSeries
  count int32 #1
  lastObservedTime MicroTime #2
EventSource
  component string #1
  host string #2
ConfigMap object | Configuration as keys and texts.
  binaryData {}bytes #3
  data {}string #2
  immutable bool #4*
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
Secret object | Keys and values that are not for everybody.
  data {}bytes #2
  immutable bool #5*
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  stringData {}string #4
  type string #3
ServiceAccount object | An identity for pods.
  automountServiceAccountToken bool #4*
  imagePullSecrets []LocalObjectReference #3
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  secrets []ObjectReference #2 map=name patch=merge:name
LocalVolumeSource
  fsType string #2*
  path string! #1
ModifyVolumeStatus
  status string! #2
  targetVolumeAttributesClassName string #1
Endpoints object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  subsets []EndpointSubset #2
EndpointSubset
  addresses []EndpointAddress #1
  notReadyAddresses []EndpointAddress #2
  ports []EndpointPort #3
EndpointAddress atomic
  hostname string #3
  ip string! #1
  nodeName string #4*
  targetRef ObjectReference #2*
EndpointPort atomic
  appProtocol string #4*
  name string #1
  port int32! #2
  protocol string #3
ReplicationController object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec ReplicationControllerSpec #2
  status ReplicationControllerStatus #3
ReplicationControllerSpec
  minReadySeconds int32 #4
  replicas int32 #1*
  selector {}string #2 atomic
  template PodTemplateSpec #3*
ReplicationControllerStatus
  availableReplicas int32 #5
  conditions []ReplicationControllerCondition #6 map=type patch=merge:type
  fullyLabeledReplicas int32 #2
  observedGeneration int64 #3
  readyReplicas int32 #4
  replicas int32! #1
ReplicationControllerCondition
  lastTransitionTime Time #3
  message string #5
  reason string #4
  status string! #2
  type string! #1
ResourceQuota object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec ResourceQuotaSpec #2
  status ResourceQuotaStatus #3
ResourceQuotaSpec
  hard {}Quantity #1
  scopeSelector ScopeSelector #3*
  scopes []string #2
ScopeSelector atomic
  matchExpressions []ScopedResourceSelectorRequirement #1
ScopedResourceSelectorRequirement
  operator string! #2
  scopeName string! #1
  values []string #3
ResourceQuotaStatus
  hard {}Quantity #1
  used {}Quantity #2
LimitRange object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec LimitRangeSpec #2
LimitRangeSpec
  limits []LimitRangeItem! #1
LimitRangeItem
  default {}Quantity #4
  defaultRequest {}Quantity #5
  max {}Quantity #2
  maxLimitRequestRatio {}Quantity #6
  min {}Quantity #3
  type string! #1
Binding object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  target ObjectReference! #2
TopologySelectorTerm atomic
  matchLabelExpressions []TopologySelectorLabelRequirement #1
TopologySelectorLabelRequirement
  key string! #1
  values []string! #2
`
