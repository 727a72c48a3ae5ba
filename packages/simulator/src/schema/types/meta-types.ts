/** Types of `meta/v1`, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const metaTypes: string = `
@ io.k8s.apimachinery.pkg.apis.meta.v1
ObjectMeta | What every object has.
  annotations {}string #12 | Texts that tools keep with the object; nothing selects by them.
  creationTimestamp Time #8 | When the server took the object. Set by the server.
  deletionGracePeriodSeconds int64 #10* | Seconds between the wish to delete and the end. Set by the server.
  deletionTimestamp Time #9* | When the object is to be gone; set once it is being deleted.
  finalizers []string #14 set patch=merge | Names of what must be done before the object can go.
  generateName string #2 | Beginning of a name that the server completes.
  generation int64 #7 | Counts the changes of what is wanted. Set by the server.
  labels {}string #11 | Key and value pairs by which objects are selected.
  managedFields []ManagedFieldsEntry #17 | Which writer owns which field.
  name string #1 | Name, unique among objects of the kind in the namespace. Cannot be changed.
  namespace string #3 | Namespace of the object. Cannot be changed.
  ownerReferences []OwnerReference #13 map=uid patch=merge:uid | Objects without which this one is deleted.
  resourceVersion string #6 | Version of the object; a write that names an old one is refused.
  selfLink string #4
  uid string #5 | Identity of the object in time and space. Set by the server.
ManagedFieldsEntry
  apiVersion string #3
  fieldsType string #6
  fieldsV1 any #7*
  manager string #1
  operation string #2
  subresource string #8
  time Time #4*
OwnerReference atomic
  apiVersion string! #5
  blockOwnerDeletion bool #7*
  controller bool #6*
  kind string! #1
  name string! #3
  uid string! #4
LabelSelector atomic
  matchExpressions []LabelSelectorRequirement #2
  matchLabels {}string #1
LabelSelectorRequirement
  key string! #1
  operator string! #2
  values []string #3
Condition
  lastTransitionTime Time! #4
  message string! #6
  observedGeneration int64 #3
  reason string! #5
  status string! #2
  type string! #1
DeleteOptions object
  apiVersion string
  dryRun []string #5
  gracePeriodSeconds int64 #1*
  ignoreStoreReadErrorWithClusterBreakingPotential bool #6*
  kind string
  orphanDependents bool #3*
  preconditions Preconditions #2*
  propagationPolicy string #4*
Preconditions
  resourceVersion string #2*
  uid string #1*
FieldSelectorRequirement
  key string! #1
  operator string! #2
  values []string #3
`
