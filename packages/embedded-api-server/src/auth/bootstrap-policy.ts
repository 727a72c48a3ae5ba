// The roles and bindings that every cluster with RBAC starts with.
const READ = ['get', 'list', 'watch']
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update']
const APPS = [
  'daemonsets',
  'deployments',
  'deployments/scale',
  'replicasets',
  'replicasets/scale',
  'statefulsets',
  'statefulsets/scale',
] as const
const READABLE = [
  [
    '',
    [
      'configmaps',
      'endpoints',
      'persistentvolumeclaims',
      'pods',
      'replicationcontrollers',
      'serviceaccounts',
      'services',
      'events',
      'limitranges',
      'resourcequotas',
      'namespaces',
      'pods/log',
      'pods/status',
    ],
  ],
  ['apps', APPS],
  ['batch', ['cronjobs', 'jobs']],
  ['autoscaling', ['horizontalpodautoscalers']],
  ['networking.k8s.io', ['ingresses', 'networkpolicies']],
  ['policy', ['poddisruptionbudgets']],
  ['discovery.k8s.io', ['endpointslices']],
] as const
const WRITABLE = [
  [
    '',
    [
      'configmaps',
      'events',
      'persistentvolumeclaims',
      'pods',
      'pods/eviction',
      'replicationcontrollers',
      'secrets',
      'serviceaccounts',
      'serviceaccounts/token',
      'services',
    ],
  ],
  ['apps', APPS],
  ['batch', ['cronjobs', 'jobs']],
  ['autoscaling', ['horizontalpodautoscalers']],
  ['networking.k8s.io', ['ingresses', 'networkpolicies']],
  ['policy', ['poddisruptionbudgets']],
] as const

const LABEL = 'rbac.authorization.k8s.io/aggregate-to-'
const aggregationRuleFor = (name: string): object => ({
  clusterRoleSelectors: [{ matchLabels: { [`${LABEL}${name}`]: 'true' } }],
})
const rulesFor = (
  verbs: readonly string[],
  table: readonly (readonly [group: string, resources: readonly string[]])[],
): readonly object[] => table.map(([group, resources]) => ({ apiGroups: [group], resources, verbs }))

/** The roles for users and clients, close to upstream's. The roles of Kubernetes' own components are left out. */
export const bootstrapRoles: readonly {
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
  readonly aggregationRule?: object
  readonly rules: readonly object[]
}[] = [
  {
    name: 'cluster-admin',
    rules: [
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      { nonResourceURLs: ['*'], verbs: ['*'] },
    ],
  },
  { name: 'admin', aggregationRule: aggregationRuleFor('admin'), rules: [] },
  { name: 'edit', labels: { [`${LABEL}admin`]: 'true' }, aggregationRule: aggregationRuleFor('edit'), rules: [] },
  { name: 'view', labels: { [`${LABEL}edit`]: 'true' }, aggregationRule: aggregationRuleFor('view'), rules: [] },
  {
    name: 'system:aggregate-to-admin',
    labels: { [`${LABEL}admin`]: 'true' },
    rules: [
      { apiGroups: ['authorization.k8s.io'], resources: ['localsubjectaccessreviews'], verbs: ['create'] },
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: [...READ, ...WRITE] },
    ],
  },
  {
    name: 'system:aggregate-to-edit',
    labels: { [`${LABEL}edit`]: 'true' },
    rules: [{ apiGroups: [''], resources: ['secrets'], verbs: READ }, ...rulesFor(WRITE, WRITABLE)],
  },
  { name: 'system:aggregate-to-view', labels: { [`${LABEL}view`]: 'true' }, rules: rulesFor(READ, READABLE) },
  {
    name: 'system:basic-user',
    rules: [
      {
        apiGroups: ['authorization.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
        verbs: ['create'],
      },
      { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
    ],
  },
  {
    name: 'system:discovery',
    rules: [
      {
        nonResourceURLs: [
          '/api',
          '/api/*',
          '/apis',
          '/apis/*',
          '/healthz',
          '/livez',
          '/openapi',
          '/openapi/*',
          '/readyz',
          '/version',
          '/version/',
        ],
        verbs: ['get'],
      },
    ],
  },
  {
    name: 'system:public-info-viewer',
    rules: [{ nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'], verbs: ['get'] }],
  },
]

/** The groups that are bound to these roles. */
export const bootstrapBindings: readonly { readonly role: string; readonly groups: readonly string[] }[] = [
  { role: 'cluster-admin', groups: ['system:masters'] },
  { role: 'system:basic-user', groups: ['system:authenticated'] },
  { role: 'system:discovery', groups: ['system:authenticated'] },
  { role: 'system:public-info-viewer', groups: ['system:authenticated', 'system:unauthenticated'] },
]
