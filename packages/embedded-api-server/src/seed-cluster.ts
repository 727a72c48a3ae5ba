import { bootstrapBindings, bootstrapRoles } from './auth/bootstrap-policy.ts'
import type { ApiObject } from './schema/json/api-object.ts'
import { storageKey } from './schema/json/api-object.ts'
import type { ServerContext } from './resources/context/server-context.ts'
import { createUid, timestamp } from './store/generated-metadata.ts'

type PutObject = (storage: string, object: Omit<ApiObject, 'metadata'> & { readonly metadata: object }) => void

const POLICY_LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' }
const POLICY_ANNOTATIONS = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' }

function seedPolicy(put: PutObject): void {
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  for (const { name, labels, ...role } of bootstrapRoles) {
    const metadata = { name, labels: { ...POLICY_LABELS, ...labels }, annotations: POLICY_ANNOTATIONS }
    put('rbac.authorization.k8s.io/clusterroles', { apiVersion, kind: 'ClusterRole', metadata, ...role })
  }
  for (const { role, groups } of bootstrapBindings) {
    put('rbac.authorization.k8s.io/clusterrolebindings', {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name: role, labels: POLICY_LABELS, annotations: POLICY_ANNOTATIONS },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: groups.map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name })),
    })
  }
}

/** Stores the objects of every new cluster: namespaces, system priority classes and the Service of the API server. */
export function seedCluster(context: ServerContext): void {
  const put: PutObject = (storage, object) => {
    const metadata = { ...object.metadata, uid: createUid(context.random), creationTimestamp: timestamp(context.clock) }
    const seeded = { ...object, metadata } as ApiObject
    context.store
      .collection(storage)
      .put(storageKey(seeded.metadata.namespace ?? '', seeded.metadata.name ?? ''), seeded)
  }
  for (const name of ['default', 'kube-node-lease', 'kube-public', 'kube-system']) {
    put('/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    })
  }
  for (const [name, value] of [
    ['system-cluster-critical', 2_000_000_000],
    ['system-node-critical', 2_000_001_000],
  ] as const) {
    put('scheduling.k8s.io/priorityclasses', {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name, generation: 1 },
      value,
      preemptionPolicy: 'PreemptLowerPriority',
      description: 'Used for system critical pods.',
    })
  }
  if (context.hasRbac) seedPolicy(put)
  put('/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.96.0.1',
      clusterIPs: ['10.96.0.1'],
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
      sessionAffinity: 'None',
    },
    status: { loadBalancer: {} },
  })
}
