/** The CustomResourceDefinition of PodGroup in the API of scheduler-plugins, without its schema. */
export const podGroupDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'podgroups.scheduling.x-k8s.io' },
  spec: {
    group: 'scheduling.x-k8s.io',
    scope: 'Namespaced',
    names: { plural: 'podgroups', singular: 'podgroup', kind: 'PodGroup', listKind: 'PodGroupList' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
} as const
