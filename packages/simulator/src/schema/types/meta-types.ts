/** Types of `meta/v1`, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const metaTypes: string = `
@ io.k8s.apimachinery.pkg.apis.meta.v1
ObjectMeta
  annotations {}string
  creationTimestamp Time
  deletionGracePeriodSeconds int64
  deletionTimestamp Time
  finalizers []string set patch=merge
  generateName string
  generation int64
  labels {}string
  managedFields []ManagedFieldsEntry
  name string
  namespace string
  ownerReferences []OwnerReference map=uid patch=merge:uid
  resourceVersion string
  selfLink string
  uid string
ManagedFieldsEntry
  apiVersion string
  fieldsType string
  fieldsV1 any
  manager string
  operation string
  subresource string
  time Time
OwnerReference atomic
  apiVersion string!
  blockOwnerDeletion bool
  controller bool
  kind string!
  name string!
  uid string!
LabelSelector atomic
  matchExpressions []LabelSelectorRequirement
  matchLabels {}string
LabelSelectorRequirement
  key string!
  operator string!
  values []string
Condition
  lastTransitionTime Time!
  message string!
  observedGeneration int64
  reason string!
  status string!
  type string!
DeleteOptions
  apiVersion string
  dryRun []string
  gracePeriodSeconds int64
  ignoreStoreReadErrorWithClusterBreakingPotential bool
  kind string
  orphanDependents bool
  preconditions Preconditions
  propagationPolicy string
Preconditions
  resourceVersion string
  uid string
`
