/** Types of permissions and admission, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const accessTypes: string = `
@ io.k8s.api.rbac.v1
Role object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  rules []PolicyRule #2
PolicyRule
  apiGroups []string #2
  nonResourceURLs []string #5
  resourceNames []string #4
  resources []string #3
  verbs []string! #1
RoleBinding object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  roleRef RoleRef! #3
  subjects []Subject #2
RoleRef atomic
  apiGroup string #1
  kind string! #2
  name string! #3
Subject atomic
  apiGroup string #2
  kind string! #1
  name string! #3
  namespace string #4
ClusterRole object
  aggregationRule AggregationRule #3*
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  rules []PolicyRule #2
AggregationRule
  clusterRoleSelectors []LabelSelector #1
ClusterRoleBinding object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  roleRef RoleRef! #3
  subjects []Subject #2
@ io.k8s.api.admissionregistration.v1
ValidatingAdmissionPolicy object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec ValidatingAdmissionPolicySpec #2
  status any #3
ValidatingAdmissionPolicySpec
  auditAnnotations []AuditAnnotation #5
  failurePolicy string #4*
  matchConditions []MatchCondition #6 map=name patch=merge:name
  matchConstraints any #2*
  paramKind any #1*
  validations []Validation #3
  variables []Variable #7 map=name patch=merge:name
AuditAnnotation
  key string! #1
  valueExpression string! #2
MatchCondition
  expression string! #2
  name string! #1
Validation
  expression string! #1
  message string #2
  messageExpression string #4
  reason string #3*
Variable atomic
  expression string! #2
  name string! #1
ValidatingAdmissionPolicyBinding object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec ValidatingAdmissionPolicyBindingSpec! #2
ValidatingAdmissionPolicyBindingSpec
  matchResources any #3*
  paramRef any #2*
  policyName string! #1
  validationActions []string! #4 set
ValidatingWebhookConfiguration object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  webhooks []ValidatingWebhook #2 map=name patch=merge:name
ValidatingWebhook
  admissionReviewVersions []string! #8
  clientConfig WebhookClientConfig! #2
  failurePolicy string #4*
  matchConditions []MatchCondition #11 map=name patch=merge:name
  matchPolicy string #9*
  name string! #1
  namespaceSelector LabelSelector #5*
  objectSelector LabelSelector #10*
  rules []RuleWithOperations #3
  sideEffects string! #6*
  timeoutSeconds int32 #7*
WebhookClientConfig
  caBundle bytes #2
  service WebhookService #1*
  url string #3*
WebhookService
  name string! #2
  namespace string! #1
  path string #3*
  port int32 #4*
RuleWithOperations
  apiGroups []string #2.1
  apiVersions []string #2.2
  operations []string #1
  resources []string #2.3
  scope string #2.4*
MutatingWebhookConfiguration object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  webhooks []MutatingWebhook #2 map=name patch=merge:name
MutatingWebhook
  admissionReviewVersions []string! #8
  clientConfig WebhookClientConfig! #2
  failurePolicy string #4*
  matchConditions []MatchCondition #12 map=name patch=merge:name
  matchPolicy string #9*
  name string! #1
  namespaceSelector LabelSelector #5*
  objectSelector LabelSelector #11*
  reinvocationPolicy string #10*
  rules []RuleWithOperations #3
  sideEffects string! #6*
  timeoutSeconds int32 #7*
@ io.k8s.api.authorization.v1
SelfSubjectAccessReview object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec SelfSubjectAccessReviewSpec! #2
  status SubjectAccessReviewStatus #3
SelfSubjectAccessReviewSpec
  nonResourceAttributes NonResourceAttributes #2*
  resourceAttributes ResourceAttributes #1*
NonResourceAttributes
  path string #1
  verb string #2
ResourceAttributes
  fieldSelector FieldSelectorAttributes #8*
  group string #3
  labelSelector LabelSelectorAttributes #9*
  name string #7
  namespace string #1
  resource string #5
  subresource string #6
  verb string #2
  version string #4
FieldSelectorAttributes
  rawSelector string #1
  requirements []FieldSelectorRequirement #2
LabelSelectorAttributes
  rawSelector string #1
  requirements []LabelSelectorRequirement #2
SubjectAccessReviewStatus
  allowed bool! #1
  denied bool #4
  evaluationError string #3
  reason string #2
SelfSubjectRulesReview object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec SelfSubjectRulesReviewSpec! #2
  status SubjectRulesReviewStatus #3
SelfSubjectRulesReviewSpec
  namespace string #1
SubjectRulesReviewStatus
  evaluationError string #4
  incomplete bool! #3
  nonResourceRules []NonResourceRule! #2
  resourceRules []ResourceRule! #1
NonResourceRule
  nonResourceURLs []string #2
  verbs []string! #1
ResourceRule
  apiGroups []string #2
  resourceNames []string #4
  resources []string #3
  verbs []string! #1
SubjectAccessReview object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec SubjectAccessReviewSpec! #2
  status SubjectAccessReviewStatus #3
SubjectAccessReviewSpec
  extra {}[]string #5
  groups []string #4
  nonResourceAttributes NonResourceAttributes #2*
  resourceAttributes ResourceAttributes #1*
  uid string #6
  user string #3
LocalSubjectAccessReview object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec SubjectAccessReviewSpec! #2
  status SubjectAccessReviewStatus #3
@ io.k8s.api.authentication.v1
SelfSubjectReview object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  status any #2
TokenReview object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec TokenReviewSpec! #2
  status any #3
TokenReviewSpec
  audiences []string #2
  token string #1
TokenRequest object
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec TokenRequestSpec! #2
  status any #3
TokenRequestSpec
  audiences []string! #1
  boundObjectRef BoundObjectReference #3*
  expirationSeconds int64 #4*
BoundObjectReference
  apiVersion string #2
  kind string #1
  name string #3
  uid string #4
`
