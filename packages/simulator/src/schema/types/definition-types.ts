/** Types of CustomResourceDefinitions, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const definitionTypes: string = `
@ io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1
CustomResourceDefinition object | A resource that the server shall serve besides its own.
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec CustomResourceDefinitionSpec! #2
  status CustomResourceDefinitionStatus #3
CustomResourceDefinitionSpec
  conversion CustomResourceConversion #9
  group string! #1
  names CustomResourceDefinitionNames! #3
  preserveUnknownFields bool #10
  scope string! #4 | Namespaced or Cluster.
  versions []CustomResourceDefinitionVersion! #7
CustomResourceConversion
  strategy string! #1
  webhook any #2
CustomResourceDefinitionNames
  categories []string #6
  kind string! #4
  listKind string #5
  plural string! #1
  shortNames []string #3
  singular string #2
CustomResourceDefinitionVersion
  additionalPrinterColumns []CustomResourceColumnDefinition #6
  deprecated bool #7
  deprecationWarning string #8*
  name string! #1
  schema CustomResourceValidation #4
  selectableFields []SelectableField #9
  served bool! #2
  storage bool! #3
  subresources CustomResourceSubresources #5
CustomResourceColumnDefinition
  description string #4
  format string #3
  jsonPath string! #6
  name string! #1
  priority int32 #5
  type string! #2
CustomResourceValidation
  openAPIV3Schema any #1
SelectableField
  jsonPath string! #1
CustomResourceSubresources
  scale CustomResourceSubresourceScale #2
  status any #1
CustomResourceSubresourceScale
  labelSelectorPath string #3*
  specReplicasPath string! #1
  statusReplicasPath string! #2
CustomResourceDefinitionStatus
  acceptedNames CustomResourceDefinitionNames #2
  conditions []CustomResourceDefinitionCondition #1 map=type
  observedGeneration int64 #4
  storedVersions []string #3
CustomResourceDefinitionCondition
  lastTransitionTime Time #3
  message string #5
  observedGeneration int64 #6
  reason string #4
  status string! #2
  type string! #1
`
