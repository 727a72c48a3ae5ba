/** The accounts of an installation `berth` in the namespace `berth-system`, and the roles that belong to each, by `Kind name`. */
export const roles = {
  'berth-advertiser': [
    'ClusterRole berth-system:berth-advertiser',
    'Role berth-system:berth-advertiser',
    'Role berth-advertiser',
  ],
  'berth-authority': ['Role berth-authority'],
  'berth-authority-adopt': ['Role berth-authority-adopt'],
  'berth-eviction': ['ClusterRole berth-system:berth-eviction', 'Role berth-eviction'],
  'berth-scheduler': ['ClusterRole berth-system:berth-scheduler', 'Role berth-scheduler'],
  'berth-extender': [
    'ClusterRole berth-system:berth-extender',
    'Role berth-extender-bind',
    'Role berth-extender-retry',
    'Role berth-kube-scheduler',
  ],
  'berth-uninstall': [
    'ClusterRole berth-system:berth-uninstall',
    'Role berth-system:berth-uninstall',
    'Role berth-uninstall-lease',
    'Role berth-uninstall-announce',
    'Role berth-uninstall',
  ],
  'berth-cli-user': ['ClusterRole berth-system:berth-cli'],
} as const
/** A ServiceAccount that the programs of the chart use. */
export type Account = keyof typeof roles
/** Permissions for situations that the test of permissions does not cause, and why not. */
export const seldomUsed: Readonly<Record<Account, Readonly<Record<string, string>>>> = {
  'berth-advertiser': {},
  'berth-authority': {},
  'berth-authority-adopt': {},
  'berth-eviction': {},
  'berth-scheduler': {
    '/pods get':
      'The response of a bind must be lost after the API server has the request, which nothing outside of the connection can time: packages/k8s-client/src/binding/confirm-binding.test.ts.',
    'scheduling.k8s.io/podgroups get':
      'Another writer must change the group between the read and the write of its status, a few milliseconds: apps/scheduler/src/groups.',
  },
  'berth-extender': {
    '/pods get':
      'The response of a bind must be lost after the API server has the request, which nothing outside of the connection can time: packages/k8s-client/src/binding/confirm-binding.test.ts.',
    'storage.k8s.io/csistoragecapacities patch':
      'kube-scheduler must not retry a rejected pod by itself, which it does for every change that this test makes: apps/extender/test/retry-signal.test.ts.',
  },
  'berth-uninstall': {
    'events.k8s.io/events patch':
      'The hook writes each node once, so that the same event about a node comes twice only if another writer restores an amount meanwhile: packages/k8s-client/test/event-recorder.test.ts.',
  },
  'berth-cli-user': {},
}

/** Permissions that the test of permissions cannot use where Kubernetes does not have pod groups of its own. */
export const usedByGangs: Readonly<Partial<Record<Account, readonly string[]>>> = {
  'berth-scheduler': [
    'scheduling.k8s.io/podgroups list',
    'scheduling.k8s.io/podgroups watch',
    'scheduling.k8s.io/podgroups/status patch',
  ],
  'berth-cli-user': ['scheduling.k8s.io/podgroups get'],
}

/** The roles of Kubernetes that the chart binds to the account of the extender, because kube-scheduler runs beside it. */
export const bootstrapRoles = [
  { kind: 'ClusterRole', namespace: undefined, name: 'system:kube-scheduler' },
  { kind: 'ClusterRole', namespace: undefined, name: 'system:volume-scheduler' },
  { kind: 'Role', namespace: 'kube-system', name: 'extension-apiserver-authentication-reader' },
] as const

/** Permissions of {@link bootstrapRoles} that the test of permissions makes kube-scheduler use: preemption and volumes. */
export const writesOfKubeScheduler = [
  '/pods delete',
  '/persistentvolumes update',
  '/persistentvolumeclaims update',
] as const

/** Permissions of {@link bootstrapRoles} that kube-scheduler uses if it refuses a pod again before the test ends. */
export const sometimesUsedByKubeScheduler: readonly string[] = ['events.k8s.io/events patch']

/**
 * Permissions of {@link bootstrapRoles} that the test of permissions does not cause, by the reason why Kubernetes grants them. The API
 * server of each version defines the roles for its kube-scheduler, and nothing can remove a part of them: docs/adr/0008.
 */
export const seldomUsedByKubeScheduler: Readonly<Record<string, readonly string[]>> = {
  'the API of events before events.k8s.io': ['/events patch', '/events update'],
  'a form of a write that is granted beside the used one': [
    'events.k8s.io/events update',
    '/pods/status update',
    '/persistentvolumes patch',
    '/persistentvolumeclaims patch',
    'resource.k8s.io/resourceclaims patch',
    'resource.k8s.io/resourceclaims/status patch',
    'resource.k8s.io/resourceclaims/binding patch',
  ],
  'coordinated leader election, a feature gate': [
    'coordination.k8s.io/leases list',
    'coordination.k8s.io/leases watch',
    'coordination.k8s.io/leasecandidates create',
    'coordination.k8s.io/leasecandidates delete',
    'coordination.k8s.io/leasecandidates deletecollection',
    'coordination.k8s.io/leasecandidates get',
    'coordination.k8s.io/leasecandidates list',
    'coordination.k8s.io/leasecandidates patch',
    'coordination.k8s.io/leasecandidates update',
    'coordination.k8s.io/leasecandidates watch',
  ],
  'single reads, which Kubernetes grants with each list and watch': [
    '/nodes get',
    '/pods get',
    '/replicationcontrollers get',
    '/services get',
    'apps/replicasets get',
    'apps/statefulsets get',
    'policy/poddisruptionbudgets get',
    '/persistentvolumeclaims get',
    '/persistentvolumes get',
    'storage.k8s.io/csinodes get',
    'storage.k8s.io/volumeattachments get',
    '/namespaces get',
    'storage.k8s.io/csidrivers get',
    'storage.k8s.io/csistoragecapacities get',
    'resource.k8s.io/deviceclasses get',
    'resource.k8s.io/resourceslices get',
    'storage.k8s.io/storageclasses get',
  ],
  'older versions of Kubernetes': [
    '/bindings create',
    'extensions/replicasets get',
    'extensions/replicasets list',
    'extensions/replicasets watch',
  ],
  'callers of its metrics, which have a token': [
    'authentication.k8s.io/tokenreviews create',
    'authorization.k8s.io/subjectaccessreviews create',
  ],
  'pod groups, which this test turns on for the scheduler of Berth': [
    'scheduling.k8s.io/podgroups get',
    'scheduling.k8s.io/podgroups list',
    'scheduling.k8s.io/podgroups watch',
    'scheduling.k8s.io/podgroups/status patch',
    'scheduling.k8s.io/podgroups/status update',
  ],
  'claims of dynamic resource allocation': [
    'resource.k8s.io/resourceclaims get',
    'resource.k8s.io/resourceclaims update',
    'resource.k8s.io/resourceclaims create',
    'resource.k8s.io/resourceclaims delete',
    'resource.k8s.io/resourceclaims/binding update',
    'resource.k8s.io/resourceclaims/status get',
    'resource.k8s.io/resourceclaims/status list',
    'resource.k8s.io/resourceclaims/status update',
    'resource.k8s.io/resourceclaims/status watch',
    '/pods/finalizers update',
  ],
}
