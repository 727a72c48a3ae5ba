import { caseGroup, type CaseGroup, type Json, type CaseSession } from '../runner/conformance-case.ts'
import { configMap, deployment, pod } from '../manifests/manifests.ts'

const binding = (name: string, target: object, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name, ...metadata },
  target,
})
// Not an existing node, because its kubelet would run the pod.
const NODE = { kind: 'Node', name: 'exchanges-no-such-node' }
const eviction = (name: string, more: object = {}): object => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name },
  ...more,
})

const bindTo =
  (target: object, metadata: object = {}) =>
  async ({ at, name, post }: CaseSession): Promise<void> => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await post(at('pods', name, 'binding'), binding(name, target, metadata))
  }

/** Creates a running pod and a disruption budget for it, and waits until the budget counts the pod if it is healthy. */
async function createPodUnderBudget(session: CaseSession, budget: object, isHealthy: boolean): Promise<void> {
  const { at, name, post, patch, until } = session
  await post(at('pods'), pod(name, {}, { nodeName: NODE.name }, { labels: { app: name } }), { isQuiet: true })
  const conditions = [{ type: 'Ready', status: isHealthy ? 'True' : 'False' }]
  await patch('merge', at('pods', name, 'status'), { status: { phase: 'Running', conditions } }, { isQuiet: true })
  const selector = { matchLabels: { app: name } }
  const path = at('policy/v1/poddisruptionbudgets')
  await post(
    path,
    { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name }, spec: { selector, ...budget } },
    { isQuiet: true },
  )
  await until(
    `${path}/${name}`,
    ({ body }) => body.status?.observedGeneration === 1 && body.status.currentHealthy === (isHealthy ? 1 : 0),
    {
      show: ({ spec, status }) => ({
        spec,
        status: {
          ...status,
          conditions: status.conditions.map(({ type, status, reason }: Json) => ({ type, status, reason })),
        },
      }),
    },
  )
}

/** Subresources: status, scale, binding, eviction and others. */
export const subresources: CaseGroup = caseGroup('sub', {
  bind: async (session) => {
    await bindTo(NODE)(session)
    await session.get(session.at('pods', session.name), {
      show: ({ metadata, spec, status }) => ({ metadata, nodeName: spec.nodeName, status }),
    })
  },
  'bind-twice': async (session) => {
    await bindTo(NODE)(session)
    await session.post(session.at('pods', session.name, 'binding'), binding(session.name, NODE))
    await session.post(
      session.at('pods', session.name, 'binding'),
      binding(session.name, { kind: 'Node', name: 'other' }),
    )
  },
  'bind-older-path': async ({ at, name, post }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await post(at('bindings'), binding(name, NODE))
  },
  'bind-other-uid': bindTo(NODE, { uid: '00000000-0000-0000-0000-000000000001' }),
  'bind-same-uid': async ({ at, name, post }) => {
    const { body } = await post(at('pods'), pod(name), { isQuiet: true })
    await post(at('pods', name, 'binding'), binding(name, NODE, { uid: body.metadata.uid }))
  },
  'bind-stale-version': bindTo(NODE, { resourceVersion: '1' }),
  'bind-annotations-and-labels': async (session) => {
    await bindTo(NODE, { annotations: { 'example.com/a': 'b' }, labels: { c: 'd' } })(session)
    await session.get(session.at('pods', session.name), {
      show: ({ metadata }) => ({ annotations: metadata.annotations, labels: metadata.labels }),
    })
  },
  'bind-without-target': bindTo({}),
  'bind-to-other-kind': bindTo({ kind: 'Pod', name: 'x' }),
  'bind-other-name': async ({ at, name, post }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await post(at('pods', name, 'binding'), binding('other', NODE))
  },
  'bind-missing-pod': ({ at, name, post }) => post(at('pods', name, 'binding'), binding(name, NODE)),
  'bind-gated': async ({ at, name, post }) => {
    await post(at('pods'), pod(name, {}, { schedulingGates: [{ name: 'example.com/wait' }] }), { isQuiet: true })
    await post(at('pods', name, 'binding'), binding(name, NODE))
  },
  'bind-going': async ({ at, name, post, delete: remove }) => {
    await post(at('pods'), pod(name, {}, {}, { finalizers: ['example.com/hold'] }), { isQuiet: true })
    await remove(at('pods', name), undefined, { isQuiet: true })
    await post(at('pods', name, 'binding'), binding(name, NODE))
  },
  'bind-dry-run': async ({ at, name, post, get }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await post(`${at('pods', name, 'binding')}?dryRun=All`, binding(name, NODE))
    await get(at('pods', name), { show: ({ spec }) => spec.nodeName ?? 'none' })
  },
  evict: async ({ at, name, post, get }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await post(at('pods', name, 'eviction'), eviction(name))
    await get(at('pods', name))
  },
  'evict-running-without-budget': async ({ at, name, post, patch, get }) => {
    await post(at('pods'), pod(name, {}, { nodeName: NODE.name }), { isQuiet: true })
    await patch('merge', at('pods', name, 'status'), { status: { phase: 'Running' } }, { isQuiet: true })
    await post(at('pods', name, 'eviction'), eviction(name, { deleteOptions: { gracePeriodSeconds: 7 } }))
    await get(at('pods', name), {
      show: ({ metadata, status }) => ({
        grace: metadata.deletionGracePeriodSeconds,
        conditions: status.conditions?.map(({ type, reason, status }: Json) => ({ type, reason, status })),
      }),
    })
  },
  'evict-denied': async (session) => {
    await createPodUnderBudget(session, { minAvailable: 1 }, true)
    await session.post(session.at('pods', session.name, 'eviction'), eviction(session.name))
  },
  'evict-allowed-once': async (session) => {
    await createPodUnderBudget(session, { minAvailable: 0 }, true)
    await session.post(session.at('pods', session.name, 'eviction'), eviction(session.name))
    await session.get(session.at('pods', session.name), {
      show: ({ metadata }) => ({ isMarked: metadata.deletionTimestamp !== undefined }),
    })
  },
  'evict-unhealthy': async (session) => {
    await createPodUnderBudget(session, { minAvailable: 1 }, false)
    await session.post(session.at('pods', session.name, 'eviction'), eviction(session.name))
  },
  'evict-unhealthy-always': async (session) => {
    await createPodUnderBudget(session, { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, false)
    await session.post(session.at('pods', session.name, 'eviction'), eviction(session.name))
  },
  'evict-dry-run': async (session) => {
    await createPodUnderBudget(session, { minAvailable: 0 }, true)
    await session.post(`${session.at('pods', session.name, 'eviction')}?dryRun=All`, eviction(session.name))
    await session.get(session.at('pods', session.name), {
      show: ({ metadata }) => ({ isMarked: metadata.deletionTimestamp !== undefined }),
    })
  },
  'evict-two-budgets': async (session) => {
    await createPodUnderBudget(session, { minAvailable: 0 }, true)
    const path = session.at('policy/v1/poddisruptionbudgets')
    const spec = { selector: { matchLabels: { app: session.name } }, maxUnavailable: 1 }
    await session.post(path, { metadata: { name: `${session.name}-b` }, spec }, { isQuiet: true })
    await session.post(session.at('pods', session.name, 'eviction'), eviction(session.name))
  },
  'evict-missing': ({ at, name, post }) => post(at('pods', name, 'eviction'), eviction(name)),
  'evict-other-name': async ({ at, name, post }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await post(at('pods', name, 'eviction'), eviction('other'))
  },
  'budget-with-both': async ({ at, name, post }) => {
    const spec = { selector: { matchLabels: { a: 'b' } }, minAvailable: 1, maxUnavailable: 1 }
    await post(at('policy/v1/poddisruptionbudgets'), { metadata: { name }, spec })
  },
  'pod-status': async ({ at, name, post, patch, get }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    const conditions = [{ type: 'Ready', status: 'True' }]
    await patch('merge', at('pods', name, 'status'), {
      status: { phase: 'Running', podIP: '10.0.0.1', conditions },
      spec: { nodeName: 'x' },
    })
    await get(at('pods', name, 'status'), { show: ({ status }) => status })
  },
  'pod-status-conditions-merge': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    for (const type of ['Ready', 'Initialized', 'Ready']) {
      await patch(
        'strategic',
        at('pods', name, 'status'),
        { status: { conditions: [{ type, status: 'True', reason: type }] } },
        { show: ({ status }) => status.conditions },
      )
    }
  },
  'pod-status-put': async ({ at, name, post, put }) => {
    const { body } = await post(at('pods'), pod(name), { isQuiet: true })
    await put(
      at('pods', name, 'status'),
      { ...body, metadata: { ...body.metadata, labels: { a: 'b' } }, status: { phase: 'Failed' } },
      { show: ({ metadata, status }) => ({ labels: metadata.labels, status }) },
    )
  },
  'pod-status-phase-unknown': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await patch('merge', at('pods', name, 'status'), { status: { phase: 'Dancing' } }, { show: ({ status }) => status })
  },
  'pod-status-bad-nominee': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await patch('merge', at('pods', name, 'status'), { status: { nominatedNodeName: 'A_b' } })
  },
  'status-method': async ({ at, name, post, send }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await send('DELETE', at('pods', name, 'status'))
    await send('POST', at('pods', name, 'status'), {})
  },
  'scale-get': async ({ at, name, post, get }) => {
    await post(at('apps/v1/deployments'), deployment(name), { isQuiet: true })
    await get(at('apps/v1/deployments', name, 'scale'), {
      show: ({ kind, apiVersion, metadata, spec, status }) => ({
        kind,
        apiVersion,
        keys: Object.keys(metadata).sort(),
        spec,
        status,
      }),
    })
  },
  'scale-put': async ({ at, name, post, get, put }) => {
    await post(at('apps/v1/replicasets'), { ...deployment(name), kind: 'ReplicaSet' }, { isQuiet: true })
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name }, spec: { replicas: 2 } }
    await put(at('apps/v1/replicasets', name, 'scale'), scale, { show: ({ kind, spec }) => ({ kind, spec }) })
    await get(at('apps/v1/replicasets', name), {
      show: ({ metadata, spec }) => ({
        generation: metadata.generation,
        replicas: spec.replicas,
        managedFields: metadata.managedFields.filter(({ manager }: Json) => manager === 'exchanges'),
      }),
    })
  },
  'scale-merge-patch': async ({ at, name, post, patch }) => {
    await post(at('apps/v1/deployments'), deployment(name), { isQuiet: true })
    await patch(
      'merge',
      at('apps/v1/deployments', name, 'scale'),
      { spec: { replicas: 1 } },
      { show: ({ kind, spec }) => ({ kind, spec }) },
    )
  },
  'scale-negative': async ({ at, name, post, patch }) => {
    await post(at('apps/v1/deployments'), deployment(name), { isQuiet: true })
    await patch('merge', at('apps/v1/deployments', name, 'scale'), { spec: { replicas: -1 } })
  },
  'scale-stale': async ({ at, name, post, put }) => {
    await post(at('apps/v1/deployments'), deployment(name), { isQuiet: true })
    await put(at('apps/v1/deployments', name, 'scale'), {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name, resourceVersion: '1' },
      spec: { replicas: 2 },
    })
  },
  'scale-missing': ({ at, name, get }) => get(at('apps/v1/deployments', name, 'scale')),
  'scale-of-config-map': async ({ at, name, post, get }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await get(at('configmaps', name, 'scale'))
  },
  'access-review': async ({ namespace, post }) => {
    const spec = { resourceAttributes: { namespace, verb: 'get', resource: 'pods' } }
    await post(
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec },
      { show: ({ kind, spec, status }) => ({ kind, spec, allowed: status.allowed }) },
    )
  },
})
