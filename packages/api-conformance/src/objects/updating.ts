import { caseGroup, type CaseGroup, type CaseSession } from '../runner/conformance-case.ts'
import { configMap, deployment, lease, pod } from '../manifests/manifests.ts'

const LEASES = 'coordination.k8s.io/v1/leases'
const RBAC = 'rbac.authorization.k8s.io'
const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]
const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' }
// Kinds whose objects a PUT creates if they do not exist, each with its required fields.
const CREATED: readonly (readonly [plural: string, spec: object])[] = [
  [LEASES, { spec: { holderIdentity: 'a' } }],
  [`${RBAC}/v1/roles`, { rules }],
  [`${RBAC}/v1/rolebindings`, { roleRef }],
  [`${RBAC}/v1/clusterroles`, { rules }],
  [`${RBAC}/v1/clusterrolebindings`, { roleRef }],
  ['services', { spec: { ports: [{ port: 80 }] } }],
  ['endpoints', {}],
  ['limitranges', { spec: { limits: [{ type: 'Container', max: { cpu: '2' } }] } }],
]

/** PUT and its preconditions. */
export const updating: CaseGroup = caseGroup('update', {
  replace: async ({ at, name, post, put }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await put(at('configmaps', name), configMap(name, { b: '2' }))
  },
  'nothing-changed': async ({ at, name, post, put }) => {
    const { body } = await post(at('configmaps'), configMap(name))
    await put(at('configmaps', name), body)
  },
  'missing-object': ({ at, name, put }) => put(at('configmaps', name), configMap(name)),
  'stale-version': async ({ at, name, post, put }) => {
    const { body } = await post(at('configmaps'), configMap(name), { isQuiet: true })
    await put(at('configmaps', name), configMap(name, { b: '2' }), { isQuiet: true })
    await put(at('configmaps', name), { ...body, data: { c: '3' } })
  },
  'stale-version-in-group': async ({ at, name, post, put }) => {
    const { body } = await post(at('coordination.k8s.io/v1/leases'), { metadata: { name } }, { isQuiet: true })
    const path = at('coordination.k8s.io/v1/leases', name)
    await put(path, { ...body, spec: { holderIdentity: 'a' } }, { isQuiet: true })
    await put(path, { ...body, spec: { holderIdentity: 'b' } })
  },
  'version-zero': async ({ at, name, post, put }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await put(at('configmaps', name), configMap(name, { b: '2' }, { resourceVersion: '0' }))
  },
  'version-no-number': async ({ at, name, post, put }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await put(at('configmaps', name), configMap(name, { b: '2' }, { resourceVersion: 'abc' }))
  },
  'other-uid': async ({ at, name, post, put }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await put(at('configmaps', name), configMap(name, {}, { uid: '00000000-0000-0000-0000-000000000001' }))
  },
  'other-name': async ({ at, name, post, put }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await put(at('configmaps', name), configMap('other'))
  },
  'other-namespace': async ({ at, name, post, put }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await put(at('configmaps', name), configMap(name, {}, { namespace: 'elsewhere' }))
  },
  'dry-run': async ({ at, name, post, put, get }) => {
    await post(at('configmaps'), configMap(name))
    await put(`${at('configmaps', name)}?dryRun=All`, configMap(name, { b: '2' }))
    await get(at('configmaps', name))
  },
  'immutable-config-map': async ({ at, name, post, put }) => {
    await post(at('configmaps'), { ...configMap(name), immutable: true }, { isQuiet: true })
    await put(at('configmaps', name), { ...configMap(name, { a: '2' }), immutable: true })
    await put(at('configmaps', name), configMap(name))
  },
  'secret-type': async ({ at, name, post, put }) => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name } }
    await post(at('secrets'), secret, { isQuiet: true })
    await put(at('secrets', name), { ...secret, type: 'example.com/other' })
  },
  'generation-grows': async ({ at, name, post, put }) => {
    const show = ({
      metadata,
      spec,
    }: {
      metadata: { generation: number }
      spec: { minReadySeconds: number }
    }): unknown => ({
      generation: metadata.generation,
      minReadySeconds: spec.minReadySeconds,
    })
    // A ReplicaSet, because the Deployment controller writes an annotation, which would count as a change too.
    const replicaSet = (spec: Record<string, unknown> = {}, meta: Record<string, unknown> = {}): unknown => ({
      ...deployment(name, { replicas: 0, ...spec }, meta),
      kind: 'ReplicaSet',
    })
    const path = at('apps/v1/replicasets')
    await post(path, replicaSet(), { show })
    await put(`${path}/${name}`, replicaSet({ minReadySeconds: 5 }), { show })
    await put(`${path}/${name}`, replicaSet({ minReadySeconds: 5 }, { labels: { a: 'b' } }), { show })
  },
  'selector-is-immutable': async ({ at, name, post, put }) => {
    const path = at('apps/v1/deployments')
    await post(path, deployment(name), { isQuiet: true })
    const labels = { app: 'other' }
    const other = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } },
    }
    await put(`${path}/${name}`, deployment(name, other))
  },
  'pod-image': async ({ at, name, post, get, put }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    const { body } = await get(at('pods', name), { isQuiet: true })
    body.spec.containers[0].image = 'registry.k8s.io/pause:3.9'
    await put(at('pods', name), body)
  },
  'pod-resources': async ({ at, name, post, get, put }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    const { body } = await get(at('pods', name), { isQuiet: true })
    body.spec.containers[0].resources = {
      limits: { 'example.com/dongle': '1' },
      requests: { 'example.com/dongle': '1' },
    }
    await put(at('pods', name), body, {
      show: ({ code, reason, details }) => ({
        code,
        reason,
        fields: details.causes.map(({ field }: { field: string }) => field),
      }),
    })
  },
  'pod-node-name': async ({ at, name, post, get, put }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    const { body } = await get(at('pods', name), { isQuiet: true })
    body.spec.nodeName = 'somewhere'
    await put(at('pods', name), body, {
      show: ({ code, reason, details }) => ({
        code,
        reason,
        fields: details.causes.map(({ field }: { field: string }) => field),
      }),
    })
  },
  'pod-toleration-added': async ({ at, name, post, get, put }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    const { body } = await get(at('pods', name), { isQuiet: true })
    body.spec.tolerations.push({ key: 'a', operator: 'Exists' })
    await put(at('pods', name), body)
  },
  'pod-toleration-removed': async ({ at, name, post, get, put }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    const { body } = await get(at('pods', name), { isQuiet: true })
    body.spec.tolerations = []
    await put(at('pods', name), body, {
      show: ({ code, reason, details }) => ({
        code,
        reason,
        fields: details.causes.map(({ field }: { field: string }) => field),
      }),
    })
  },
  'pod-containers-added': async ({ at, name, post, get, put }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    const { body } = await get(at('pods', name), { isQuiet: true })
    body.spec.containers.push({ name: 'second', image: 'x' })
    await put(at('pods', name), body)
  },
  'main-resource-leaves-status': async ({ at, name, post, get, put }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    const { body } = await get(at('pods', name), { isQuiet: true })
    await put(at('pods', name), { ...body, status: { phase: 'Running' } }, { show: ({ status }) => status })
  },
  'priority-class-value': async ({ name, post, put }) => {
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses'
    await post(path, { metadata: { name }, value: 10 }, { isQuiet: true })
    await put(`${path}/${name}`, { metadata: { name }, value: 11 })
  },
  'a-collection': ({ at, put }) => put(at('configmaps'), configMap('x')),
  ...Object.fromEntries(
    CREATED.map(([plural, spec]) => [
      `creates-a-missing-one-of-${plural.split('/').at(-1)}`,
      async ({ at, name, put }: CaseSession) => {
        const path = plural.includes('cluster') ? `/apis/${plural}/${name}` : at(plural, name)
        await put(path, { metadata: { name }, ...spec })
      },
    ]),
  ),
  'creates-a-missing-event': async ({ at, name, namespace, put }) => {
    const event = { metadata: { name }, involvedObject: { namespace } }
    await put(at('events', name), event, { show: ({ kind, metadata }) => ({ kind, metadata }) })
  },
  'missing-lease-of-another-name': ({ at, name, put }) => put(at(LEASES, name), lease('other')),
  'missing-lease-with-uid': ({ at, name, put }) =>
    put(at(LEASES, name), { metadata: { name, uid: '00000000-0000-0000-0000-000000000001' } }),
  'missing-lease-with-version': ({ at, name, put }) =>
    put(at(LEASES, name), { metadata: { name, resourceVersion: '5' } }),
  'missing-lease-that-is-wrong': ({ at, name, put }) =>
    put(at(LEASES, name), lease(name, { leaseDurationSeconds: -1 })),
  'missing-lease-dry-run': async ({ at, name, put, get }) => {
    await put(`${at(LEASES, name)}?dryRun=All`, lease(name))
    await get(at(LEASES, name))
  },
  'missing-lease-in-no-namespace': ({ name, put }) =>
    put(`/apis/${LEASES.replace('/leases', '')}/namespaces/${name}/leases/${name}`, lease(name)),
  'missing-lease-patched': ({ at, name, patch }) => patch('merge', at(LEASES, name), { spec: { holderIdentity: 'a' } }),
})
