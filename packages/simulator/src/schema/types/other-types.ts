/** Types of the other groups, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const otherTypes: string = `
@ io.k8s.api.coordination.v1
Lease object
  metadata ObjectMeta
  spec LeaseSpec
LeaseSpec
  acquireTime MicroTime
  holderIdentity string
  leaseDurationSeconds int32
  leaseTransitions int32
  preferredHolder string
  renewTime MicroTime
  strategy string
@ io.k8s.api.discovery.v1
EndpointSlice object
  addressType string!
  endpoints []Endpoint
  metadata ObjectMeta
  ports []SliceEndpointPort
Endpoint
  addresses []string! set
  conditions EndpointConditions
  deprecatedTopology {}string
  hints EndpointHints
  hostname string
  nodeName string
  targetRef ObjectReference
  zone string
EndpointConditions
  ready bool
  serving bool
  terminating bool
EndpointHints
  forNodes []ForNode
  forZones []ForZone
ForNode
  name string!
ForZone
  name string!
SliceEndpointPort atomic
  appProtocol string
  name string
  port int32
  protocol string
@ io.k8s.api.storage.v1
StorageClass object
  allowVolumeExpansion bool
  allowedTopologies []TopologySelectorTerm
  metadata ObjectMeta
  mountOptions []string
  parameters {}string
  provisioner string!
  reclaimPolicy string
  volumeBindingMode string
CSINode object
  metadata ObjectMeta
  spec CSINodeSpec!
CSINodeSpec
  drivers []CSINodeDriver! map=name patch=merge:name
CSINodeDriver
  allocatable VolumeNodeResources
  name string!
  nodeID string!
  topologyKeys []string
VolumeNodeResources
  count int32
VolumeAttachment object
  metadata ObjectMeta
  spec VolumeAttachmentSpec!
  status VolumeAttachmentStatus
VolumeAttachmentSpec
  attacher string!
  nodeName string!
  source VolumeAttachmentSource!
VolumeAttachmentSource
  inlineVolumeSpec PersistentVolumeSpec
  persistentVolumeName string
VolumeAttachmentStatus
  attachError VolumeError
  attached bool!
  attachmentMetadata {}string
  detachError VolumeError
VolumeError
  errorCode int32
  message string
  time Time
CSIDriver object
  metadata ObjectMeta
  spec CSIDriverSpec!
CSIDriverSpec
  attachRequired bool
  fsGroupPolicy string
  nodeAllocatableUpdatePeriodSeconds int64
  podInfoOnMount bool
  preventPodSchedulingIfMissing bool
  requiresRepublish bool
  seLinuxMount bool
  serviceAccountTokenInSecrets bool
  storageCapacity bool
  tokenRequests []TokenRequest
  volumeLifecycleModes []string set
TokenRequest
  audience string!
  expirationSeconds int64
CSIStorageCapacity object
  capacity Quantity
  maximumVolumeSize Quantity
  metadata ObjectMeta
  nodeTopology LabelSelector
  storageClassName string!
@ io.k8s.api.scheduling.v1
PriorityClass object
  description string
  globalDefault bool
  metadata ObjectMeta
  preemptionPolicy string
  value int32
@ io.k8s.api.policy.v1
PodDisruptionBudget object
  metadata ObjectMeta
  spec PodDisruptionBudgetSpec
  status PodDisruptionBudgetStatus
PodDisruptionBudgetSpec
  maxUnavailable IntOrString
  minAvailable IntOrString
  selector LabelSelector patch=replace
  unhealthyPodEvictionPolicy string
PodDisruptionBudgetStatus
  conditions []Condition map=type patch=merge:type
  currentHealthy int32
  desiredHealthy int32
  disruptedPods {}Time
  disruptionsAllowed int32
  expectedPods int32
  observedGeneration int64
Eviction object
  deleteOptions DeleteOptions
  metadata ObjectMeta
@ io.k8s.api.rbac.v1
Role object
  metadata ObjectMeta
  rules []PolicyRule
PolicyRule
  apiGroups []string
  nonResourceURLs []string
  resourceNames []string
  resources []string
  verbs []string!
RoleBinding object
  metadata ObjectMeta
  roleRef RoleRef!
  subjects []Subject
RoleRef atomic
  apiGroup string
  kind string!
  name string!
Subject atomic
  apiGroup string
  kind string!
  name string!
  namespace string
ClusterRole object
  aggregationRule AggregationRule
  metadata ObjectMeta
  rules []PolicyRule
AggregationRule
  clusterRoleSelectors []LabelSelector
ClusterRoleBinding object
  metadata ObjectMeta
  roleRef RoleRef!
  subjects []Subject
@ io.k8s.api.admissionregistration.v1
ValidatingAdmissionPolicy object
  metadata ObjectMeta
  spec ValidatingAdmissionPolicySpec
  status any
ValidatingAdmissionPolicySpec
  auditAnnotations []AuditAnnotation
  failurePolicy string
  matchConditions []MatchCondition map=name patch=merge:name
  matchConstraints any
  paramKind any
  validations []Validation
  variables []Variable map=name patch=merge:name
AuditAnnotation
  key string!
  valueExpression string!
MatchCondition
  expression string!
  name string!
Validation
  expression string!
  message string
  messageExpression string
  reason string
Variable atomic
  expression string!
  name string!
ValidatingAdmissionPolicyBinding object
  metadata ObjectMeta
  spec ValidatingAdmissionPolicyBindingSpec!
ValidatingAdmissionPolicyBindingSpec
  matchResources any
  paramRef any
  policyName string!
  validationActions []string! set
ValidatingWebhookConfiguration object
  metadata ObjectMeta
  webhooks []ValidatingWebhook map=name patch=merge:name
ValidatingWebhook
  admissionReviewVersions []string!
  clientConfig any!
  failurePolicy string
  matchConditions []MatchCondition map=name patch=merge:name
  matchPolicy string
  name string!
  namespaceSelector LabelSelector
  objectSelector LabelSelector
  rules []RuleWithOperations
  sideEffects string!
  timeoutSeconds int32
RuleWithOperations
  apiGroups []string
  apiVersions []string
  operations []string
  resources []string
  scope string
MutatingWebhookConfiguration object
  metadata ObjectMeta
  webhooks []MutatingWebhook map=name patch=merge:name
MutatingWebhook
  admissionReviewVersions []string!
  clientConfig any!
  failurePolicy string
  matchConditions []MatchCondition map=name patch=merge:name
  matchPolicy string
  name string!
  namespaceSelector LabelSelector
  objectSelector LabelSelector
  reinvocationPolicy string
  rules []RuleWithOperations
  sideEffects string!
  timeoutSeconds int32
@ io.k8s.api.events.v1
RegardingEvent object
  action string
  deprecatedCount int32
  deprecatedFirstTimestamp Time
  deprecatedLastTimestamp Time
  deprecatedSource EventSource
  eventTime MicroTime!
  metadata ObjectMeta
  note string
  reason string
  regarding ObjectReference
  related ObjectReference
  reportingController string
  reportingInstance string
  series RegardingEventSeries
  type string
RegardingEventSeries
  count int32!
  lastObservedTime MicroTime!
@ io.k8s.api.autoscaling.v1
Scale object
  metadata ObjectMeta
  spec ScaleSpec
  status ScaleStatus
ScaleSpec
  replicas int32
ScaleStatus
  replicas int32!
  selector string
`
