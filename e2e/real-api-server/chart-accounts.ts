/** The accounts of an installation `berth` in the namespace `berth-system`, and the roles that belong to each, by `Kind name`. */
export const roles = {
  'berth-advertiser': [
    'ClusterRole berth-system:berth-advertiser',
    'Role berth-system:berth-advertiser',
    'Role berth-advertiser',
  ],
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
/** Permissions for situations that the test of permissions does not cause, and what shows that they are needed. */
export const seldomUsed: Readonly<Record<Account, Readonly<Record<string, string>>>> = {
  'berth-advertiser': {
    '/nodes get': 'after a conflict: apps/advertiser/test',
    'events.k8s.io/events patch': 'for a repeated event: packages/k8s-client/test/event-recorder.test.ts',
  },
  'berth-eviction': {
    'events.k8s.io/events patch': 'for a repeated event: packages/k8s-client/test/event-recorder.test.ts',
  },
  'berth-scheduler': {
    '/persistentvolumeclaims patch': 'for volumes: drop-in.test.ts',
    '/persistentvolumes patch': 'for volumes: drop-in.test.ts',
    '/pods get': 'after a bind without a response: packages/k8s-client/src/binding/confirm-binding.test.ts',
    'events.k8s.io/events patch': 'for a repeated event: packages/k8s-client/test/event-recorder.test.ts',
    'scheduling.k8s.io/podgroups get': 'for pod groups: drop-in.test.ts',
    'scheduling.k8s.io/podgroups list': 'for pod groups: drop-in.test.ts',
    'scheduling.k8s.io/podgroups watch': 'for pod groups: drop-in.test.ts',
    'scheduling.k8s.io/podgroups/status patch': 'for pod groups: drop-in.test.ts',
    'scheduling.x-k8s.io/podgroups list': 'where scheduler-plugins defines pod groups: apps/scheduler/test',
    'scheduling.x-k8s.io/podgroups watch': 'where scheduler-plugins defines pod groups: apps/scheduler/test',
  },
  'berth-extender': {
    '/pods get': 'after a bind without a response: packages/k8s-client/src/binding/confirm-binding.test.ts',
    'storage.k8s.io/csistoragecapacities patch':
      'to make kube-scheduler retry: apps/extender/test/retry-signal.test.ts',
  },
  'berth-uninstall': {
    'events.k8s.io/events patch': 'for a repeated event: packages/k8s-client/test/event-recorder.test.ts',
  },
  'berth-cli-user': {
    'scheduling.k8s.io/podgroups get': 'for pods of a group: apps/kubectl-berth/test',
    'scheduling.x-k8s.io/podgroups get': 'for pods of a group: apps/kubectl-berth/test',
  },
}
