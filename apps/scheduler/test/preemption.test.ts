import { resourceRefs } from '@berth/k8s-client'
import type { ApiHandler, ApiRequest, Pod, PodDisruptionBudget } from '@berth/types'
import { expect, test } from 'vitest'
import { type TestCluster, startTestCluster } from './test-cluster.ts'
import { startScriptedExtender } from './scripted-extender.ts'

const DONGLE = 'example.com/dongle'

async function startWith(
  nodes: Readonly<Record<string, number>>,
  options: Parameters<typeof startTestCluster>[0] = {},
) {
  const cluster = await startTestCluster(options)
  for (const [name, value] of [
    ['low', 10],
    ['mid', 100],
    ['high', 1_000],
  ] as const)
    await cluster.createPriorityClass(name, value)
  // The API server takes the policy from the class, and refuses a pod with another policy.
  await cluster.createPriorityClass('polite', 1_000, 'Never')
  for (const [name, units] of Object.entries(nodes)) await cluster.createNode(name, { [DONGLE]: `${units}` })
  await cluster.settle()
  return cluster
}

async function run(
  cluster: TestCluster,
  name: string,
  priorityClassName: string,
  units = 1,
  spec: Partial<Pod['spec']> = {},
) {
  await cluster.createPod(name, { requests: { [DONGLE]: `${units}` }, priorityClassName, spec })
  await cluster.settle()
}

/** Removes terminating pods, as a kubelet does when their containers have ended. */
async function reap(cluster: TestCluster): Promise<void> {
  const { items } = await cluster.admin.client.list<Pod>(resourceRefs.pods)
  for (const { metadata } of items) {
    if (metadata.deletionTimestamp !== undefined) await cluster.deletePod(metadata.name ?? '')
  }
  await cluster.settle()
}

async function leaving(cluster: TestCluster): Promise<readonly string[]> {
  const { items } = await cluster.admin.client.list<Pod>(resourceRefs.pods)
  return items.flatMap(({ metadata }) => (metadata.deletionTimestamp === undefined ? [] : [metadata.name ?? '']))
}

const nodeOf = async (cluster: TestCluster, name: string): Promise<string | undefined> =>
  (await cluster.pod(name)).spec.nodeName

test('preempts a pod of lower priority for a dongle', async () => {
  await using cluster = await startWith({ 'node-a': 1 })
  await run(cluster, 'meek', 'low')
  await run(cluster, 'urgent', 'high')
  const [meek, urgent] = [await cluster.pod('meek'), await cluster.pod('urgent')]
  expect(meek.metadata.deletionTimestamp).toBeDefined()
  expect(meek.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
    status: 'True',
    reason: 'PreemptionByScheduler',
    message: 'berth-scheduler: preempting to accommodate a higher priority pod',
  })
  expect(await cluster.events('meek')).toContain(`Preempted: Preempted by pod ${urgent.metadata.uid} on node node-a`)
  expect(urgent.status?.nominatedNodeName).toBe('node-a')
  expect(await cluster.events('urgent')).toEqual([
    'FailedScheduling: 0/1 nodes are available: 1 Insufficient example.com/dongle.',
  ])
  expect(urgent.spec.nodeName).toBeUndefined()
  await reap(cluster)
  await cluster.clock.advance(2_000)
  expect(await nodeOf(cluster, 'urgent')).toBe('node-a')
  const { values: victims } = await cluster.metrics.kubePreemptionVictims.get()
  expect(victims.find(({ metricName }) => metricName === 'scheduler_preemption_victims_count')?.value).toBe(1)
  const { values: attempts } = await cluster.metrics.kubePreemptionAttempts.get()
  expect(attempts[0]?.value).toBeGreaterThanOrEqual(1)
})

test('preempts no other pod while a victim terminates', async () => {
  await using cluster = await startWith({ 'node-a': 1, 'node-b': 1 })
  await run(cluster, 'first', 'low')
  await run(cluster, 'second', 'low')
  await run(cluster, 'urgent', 'high')
  const victims = await leaving(cluster)
  expect(victims).toHaveLength(1)
  for (let i = 0; i < 5; i++) {
    await cluster.createNode(`other-${i}`, {})
    await run(cluster, `passing-${i}`, 'low', 0)
    await cluster.clock.advance(4_000)
  }
  expect(await leaving(cluster)).toEqual(victims)
  expect((await cluster.pod('urgent')).status?.conditions).toMatchObject([{ reason: 'Unschedulable' }])
  expect((await cluster.pod('urgent')).status?.nominatedNodeName).toBeDefined()
  await reap(cluster)
  await cluster.clock.advance(12_000)
  expect(await nodeOf(cluster, 'urgent')).toMatch(/^node-[ab]$/)
})

test('does not give the room of a victim to a pod of lower priority', async () => {
  await using cluster = await startWith({ 'node-a': 2 })
  await run(cluster, 'meek', 'low', 2)
  await run(cluster, 'urgent', 'high', 2)
  await reap(cluster)
  await run(cluster, 'sneaky', 'mid')
  expect(await nodeOf(cluster, 'sneaky')).toBeUndefined()
  await cluster.clock.advance(2_000)
  expect(await nodeOf(cluster, 'urgent')).toBe('node-a')
})

test('keeps the nomination of a pod that another scheduler places', async () => {
  await using cluster = await startWith({ 'node-a': 1 })
  await run(cluster, 'meek', 'low')
  for (const [name, schedulerName] of [
    ['own', 'berth-scheduler'],
    ['foreign', 'default-scheduler'],
  ] as const) {
    await cluster.createPod(name, {
      schedulerName,
      priorityClassName: 'low',
      // No node has this resource, so that the pod stays pending.
      requests: { 'example.com/rare': '1' },
    })
    const status = { nominatedNodeName: 'node-a' }
    const options = { type: 'merge', subresource: 'status' } as const
    await cluster.admin.client.patch(resourceRefs.pods, { namespace: 'default', name }, { status }, options)
  }
  await cluster.settle()
  await run(cluster, 'urgent', 'high')
  const nominated = async (name: string) => (await cluster.pod(name)).status?.nominatedNodeName
  expect(await nominated('urgent')).toBe('node-a')
  expect(await nominated('own')).toBeUndefined()
  expect(await nominated('foreign')).toBe('node-a')
  const atNode = cluster.view.state.nominatedPods('node-a').map(({ metadata }) => metadata.name)
  expect(new Set(atNode)).toEqual(new Set(['foreign', 'urgent']))
})

test('spares pods with a disruption budget when other victims are enough', async () => {
  await using cluster = await startWith({ 'node-a': 1, 'node-b': 1 })
  await cluster.createPod('guarded', { requests: { [DONGLE]: '1' }, priorityClassName: 'low' })
  await cluster.settle()
  const guarded = { namespace: 'default', name: 'guarded' }
  await cluster.admin.client.patch(
    resourceRefs.pods,
    guarded,
    { metadata: { labels: { app: 'db' } } },
    { type: 'merge' },
  )
  await run(cluster, 'dearer', 'mid')
  const budget: PodDisruptionBudget = {
    metadata: { name: 'db', namespace: 'default' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'db' } } },
  }
  await cluster.admin.client.create(resourceRefs.podDisruptionBudgets, budget)
  const status = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 }
  const target = { namespace: 'default', name: 'db' }
  await cluster.admin.client.patch(
    resourceRefs.podDisruptionBudgets,
    target,
    { status },
    { type: 'merge', subresource: 'status' },
  )
  await cluster.settle()
  await run(cluster, 'urgent', 'high')
  expect(await leaving(cluster)).toEqual(['dearer'])
})

test.for([
  {
    it: 'preemptionPolicy Never',
    priority: 'polite',
    spec: {},
    says: 'preemption: not eligible due to preemptionPolicy=Never.',
  },
  {
    it: 'a priority that is not higher',
    priority: 'low',
    spec: {},
    says: 'preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
  },
  {
    it: 'a request above what the node has',
    priority: 'high',
    units: 5,
    spec: {},
    says: 'preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  },
])('preempts no pod and explains it in the condition: $it', async ({ priority, spec, says, units = 1 }) => {
  await using cluster = await startWith({ 'node-a': 1 })
  await run(cluster, 'meek', 'low')
  await run(cluster, 'urgent', priority, units, spec)
  await cluster.clock.advance(2_000)
  expect(await leaving(cluster)).toEqual([])
  expect((await cluster.pod('urgent')).status?.conditions?.[0]?.message).toBe(
    `0/1 nodes are available: 1 Insufficient example.com/dongle. ${says}`,
  )
})

test('evicts no pod in a profile without DefaultPreemption', async () => {
  const config = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{ schedulerName: berth-scheduler, plugins: { postFilter: { disabled: [{ name: DefaultPreemption }] } } }]
`
  await using cluster = await startWith({ 'node-a': 1 }, { config })
  await run(cluster, 'meek', 'low')
  await run(cluster, 'urgent', 'high')
  expect(await leaving(cluster)).toEqual([])
  expect((await cluster.pod('urgent')).status?.conditions?.[0]?.message).toBe(
    '0/1 nodes are available: 1 Insufficient example.com/dongle.',
  )
})

test('clears a nomination of lower priority for a pod of higher priority', async () => {
  await using cluster = await startWith({ 'node-a': 1 })
  await run(cluster, 'meek', 'low')
  await run(cluster, 'middle', 'mid')
  expect((await cluster.pod('middle')).status?.nominatedNodeName).toBe('node-a')
  await run(cluster, 'urgent', 'high')
  expect((await cluster.pod('urgent')).status?.nominatedNodeName).toBe('node-a')
  expect((await cluster.pod('middle')).status?.nominatedNodeName).toBeUndefined()
  await reap(cluster)
  await cluster.clock.advance(12_000)
  expect([await nodeOf(cluster, 'urgent'), await nodeOf(cluster, 'middle')]).toEqual(['node-a', undefined])
})

/** Answers the first `count` matching requests with 403. */
function refusing(count: number, matches: (request: ApiRequest) => boolean) {
  const refused = { count: 0 }
  const body = JSON.stringify({ kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message: 'no' })
  const intercept =
    (handle: ApiHandler): ApiHandler =>
    async (request) => {
      if (refused.count >= count || !matches(request)) return handle(request)
      refused.count += 1
      return {
        status: 403,
        headers: { 'content-type': 'application/json' },
        body: (async function* () {
          yield new TextEncoder().encode(body)
        })(),
      }
    }
  return { refused, intercept }
}

test('fails the attempt with the missing permission when a victim may not be deleted, and retries', async () => {
  const { refused, intercept } = refusing(1, ({ method, path }) => method === 'DELETE' && path.includes('/pods/'))
  await using cluster = await startWith({ 'node-a': 1 }, { intercept })
  await run(cluster, 'meek', 'low')
  await run(cluster, 'urgent', 'high')
  expect(refused.count).toBe(1)
  expect(await leaving(cluster)).toEqual([])
  const urgent = await cluster.pod('urgent')
  expect(urgent.status?.conditions).toMatchObject([
    {
      reason: 'SchedulerError',
      message: 'preempt pod default/meek for default/urgent: delete pods default/meek: no (403)',
    },
  ])
  expect(urgent.status?.nominatedNodeName).toBeUndefined()
  expect(cluster.view.state.nominatedPods('node-a')).toEqual([])
  await cluster.clock.advance(3_000)
  expect(await leaving(cluster)).toEqual(['meek'])
})

test.for([
  {
    it: 'may exclude a node',
    answer: ({ NodeNameToMetaVictims: asked }: Preempting) => ({
      NodeNameToMetaVictims: Object.fromEntries(Object.entries(asked).filter(([node]) => node !== 'node-a')),
    }),
    victims: ['dearer'],
  },
  {
    it: 'may exclude every node',
    answer: () => ({}),
    victims: [],
    says: 'preemption: no candidate node for preemption',
  },
  {
    it: 'that fails ends preemption',
    answer: () => 500,
    victims: [],
    says: expect.stringContaining('preemption: failed preempt with extender at URL') as string,
  },
  { it: 'that fails is skipped when it is ignorable', answer: () => 500, ignorable: true, victims: ['meek'] },
  {
    it: 'may not name an unknown pod',
    answer: () => ({ NodeNameToMetaVictims: { 'node-a': { Pods: [{ UID: 'unknown-uid' }] } } }),
    victims: [],
    says: expect.stringContaining('but the pod is not found on that node') as string,
  },
  {
    it: 'must name a victim',
    answer: () => ({ nodeNameToMetaVictims: { 'node-a': { pods: null } } }),
    victims: [],
    says: expect.stringContaining('expected at least one victim pod on node "node-a"') as string,
  },
])('an extender with a preempt verb $it', async ({ answer, victims, says, ignorable = false }) => {
  await using extender = await startScriptedExtender(({ body }) => answer(body as unknown as Preempting))
  const config = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders: [{ urlPrefix: "${extender.url}", preemptVerb: preempt, nodeCacheCapable: true, ignorable: ${ignorable} }]
profiles: [{ schedulerName: berth-scheduler }]
`
  await using cluster = await startWith({ 'node-a': 1, 'node-b': 1 }, { config })
  await run(cluster, 'meek', 'low')
  await run(cluster, 'dearer', 'mid')
  expect([await nodeOf(cluster, 'meek'), await nodeOf(cluster, 'dearer')]).toEqual(['node-a', 'node-b'])
  await run(cluster, 'urgent', 'high')
  const written = async (): Promise<string | undefined> =>
    (await cluster.pod('urgent')).status?.conditions?.[0]?.message
  for (let i = 0; i < 200 && (await written()) === undefined; i++) await cluster.settle()
  await cluster.settle()
  expect(extender.calls.map(({ verb }) => verb)).toContain('preempt')
  expect(extender.calls[0]?.body).toMatchObject({
    Pod: { metadata: { name: 'urgent' } },
    NodeNameToMetaVictims: {
      'node-a': { NumPDBViolations: 0, Pods: [{ UID: (await cluster.pod('meek')).metadata.uid }] },
    },
  })
  expect(await leaving(cluster)).toEqual(victims)
  if (says === undefined) return
  const text = '0/2 nodes are available: 2 Insufficient example.com/dongle. '
  expect((await written())?.slice(text.length)).toEqual(says)
})

test('chooses other victims when another pod chose the same ones during the call to an extender', async () => {
  const answer = Promise.withResolvers<undefined>()
  await using extender = await startScriptedExtender(async ({ body }) => {
    await answer.promise
    return { NodeNameToMetaVictims: (body as unknown as Preempting).NodeNameToMetaVictims }
  })
  const config = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders: [{ urlPrefix: "${extender.url}", preemptVerb: preempt, nodeCacheCapable: true, managedResources: [{ name: example.com/managed }] }]
profiles: [{ schedulerName: berth-scheduler }]
`
  await using cluster = await startWith({}, { config })
  for (const name of ['node-a', 'node-b']) {
    await cluster.createNode(name, { [DONGLE]: '1', 'example.com/managed': '8' })
  }
  await run(cluster, 'meek', 'low')
  await run(cluster, 'dearer', 'mid')
  const requests = { [DONGLE]: '1', 'example.com/managed': '1' }
  await cluster.createPod('slow', { requests, priorityClassName: 'high' })
  for (let i = 0; i < 200 && extender.calls.length === 0; i++) await cluster.settle()
  expect(extender.calls).toHaveLength(1)
  await run(cluster, 'quick', 'high')
  expect(await leaving(cluster)).toEqual(['meek'])
  answer.resolve(undefined)
  for (let i = 0; i < 200 && (await leaving(cluster)).length < 2; i++) await cluster.settle()
  expect(new Set(await leaving(cluster))).toEqual(new Set(['meek', 'dearer']))
  const nominated = async (name: string) => (await cluster.pod(name)).status?.nominatedNodeName
  expect([await nominated('quick'), await nominated('slow')]).toEqual(['node-a', 'node-b'])
  expect(extender.calls).toHaveLength(2)
})

interface Preempting {
  readonly NodeNameToMetaVictims: Readonly<Record<string, unknown>>
}

test('evicts victims before the waiting binds of pods of lower priority', async () => {
  await using cluster = await startTestCluster({ qps: 10 })
  await cluster.createPriorityClass('high', 1_000)
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('meek', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(5_000)
  for (let i = 0; i < 400; i++) await cluster.createPod(`other-${i}`)
  await cluster.createPod('urgent', { requests: { [DONGLE]: '1' }, priorityClassName: 'high' })
  await cluster.clock.advance(5_000)
  expect(await leaving(cluster)).toEqual(['meek'])
  expect((await cluster.pod('urgent')).status?.nominatedNodeName).toBe('node-a')
})

test('evicts victims while the API server does not answer 100 conditions of other pods', async () => {
  let hanging = 0
  const intercept =
    (handle: ApiHandler): ApiHandler =>
    (request) => {
      if (request.method !== 'PATCH' || !request.path.includes('/pods/stuck-')) return handle(request)
      hanging += 1
      return new Promise(() => {})
    }
  await using cluster = await startWith({ 'node-a': 1 }, { intercept })
  await run(cluster, 'meek', 'low')
  for (let i = 0; i < 101; i++) await run(cluster, `stuck-${i}`, 'low', 2)
  expect(hanging).toBe(100)
  await run(cluster, 'urgent', 'high')
  expect(await leaving(cluster)).toEqual(['meek'])
  expect((await cluster.pod('urgent')).status?.nominatedNodeName).toBe('node-a')
})

test('evicts victims while the API server does not answer the previous condition of the pod', async () => {
  let hangs = true
  const intercept =
    (handle: ApiHandler): ApiHandler =>
    (request) =>
      hangs && request.method === 'PATCH' && request.path.includes('/pods/urgent/')
        ? new Promise(() => {})
        : handle(request)
  await using cluster = await startWith({}, { intercept })
  await run(cluster, 'urgent', 'high')
  hangs = false
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('meek', { requests: { [DONGLE]: '1' }, schedulerName: 'other', spec: { nodeName: 'node-a' } })
  await cluster.clock.advance(12_000)
  expect(await leaving(cluster)).toEqual(['meek'])
  expect((await cluster.pod('urgent')).status?.nominatedNodeName).toBe('node-a')
})
