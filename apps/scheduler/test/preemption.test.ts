import { resourceRefs } from '@berth/k8s-client'
import type { ApiHandler, ApiRequest, Pod, PodDisruptionBudget } from '@berth/types'
import { expect, test } from 'vitest'
import { type Lab, startLab } from './lab.ts'
import { startScriptedExtender } from './scripted-extender.ts'

const DONGLE = 'example.com/dongle'

async function startWith(nodes: Readonly<Record<string, number>>, options: Parameters<typeof startLab>[0] = {}) {
  const lab = await startLab(options)
  for (const [name, value] of [
    ['low', 10],
    ['mid', 100],
    ['high', 1_000],
  ] as const)
    await lab.createPriorityClass(name, value)
  // An API server takes the policy from the class, and refuses a pod that says otherwise.
  await lab.createPriorityClass('polite', 1_000, 'Never')
  for (const [name, units] of Object.entries(nodes)) await lab.createNode(name, { [DONGLE]: `${units}` })
  await lab.settle()
  return lab
}

async function run(lab: Lab, name: string, priorityClassName: string, units = 1, spec: Partial<Pod['spec']> = {}) {
  await lab.createPod(name, { requests: { [DONGLE]: `${units}` }, priorityClassName, spec })
  await lab.settle()
}

/** What a kubelet does with pods that are being deleted, once their containers have ended. */
async function reap(lab: Lab): Promise<void> {
  const { items } = await lab.admin.client.list<Pod>(resourceRefs.pods)
  for (const { metadata } of items) {
    if (metadata.deletionTimestamp !== undefined) await lab.deletePod(metadata.name ?? '')
  }
  await lab.settle()
}

async function leaving(lab: Lab): Promise<readonly string[]> {
  const { items } = await lab.admin.client.list<Pod>(resourceRefs.pods)
  return items.flatMap(({ metadata }) => (metadata.deletionTimestamp === undefined ? [] : [metadata.name ?? '']))
}

const nodeOf = async (lab: Lab, name: string): Promise<string | undefined> => (await lab.pod(name)).spec.nodeName

test('a pod of higher priority gets the dongle of a lower one', async () => {
  await using lab = await startWith({ 'node-a': 1 })
  await run(lab, 'meek', 'low')
  await run(lab, 'urgent', 'high')
  const [meek, urgent] = [await lab.pod('meek'), await lab.pod('urgent')]
  expect(meek.metadata.deletionTimestamp).toBeDefined()
  expect(meek.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
    status: 'True',
    reason: 'PreemptionByScheduler',
    message: 'berth-scheduler: preempting to accommodate a higher priority pod',
  })
  expect(await lab.events('meek')).toContain(`Preempted: Preempted by pod ${urgent.metadata.uid} on node node-a`)
  expect(urgent.status?.nominatedNodeName).toBe('node-a')
  expect(await lab.events('urgent')).toEqual([
    'FailedScheduling: 0/1 nodes are available: 1 Insufficient example.com/dongle.',
  ])
  expect(urgent.spec.nodeName).toBeUndefined()
  await reap(lab)
  await lab.clock.advance(2_000)
  expect(await nodeOf(lab, 'urgent')).toBe('node-a')
})

test('while the victim ends, nobody else is asked to leave, whatever changes', async () => {
  await using lab = await startWith({ 'node-a': 1, 'node-b': 1 })
  await run(lab, 'first', 'low')
  await run(lab, 'second', 'low')
  await run(lab, 'urgent', 'high')
  const victims = await leaving(lab)
  expect(victims).toHaveLength(1)
  for (let i = 0; i < 5; i++) {
    await lab.createNode(`other-${i}`, {})
    await run(lab, `passing-${i}`, 'low', 0)
    await lab.clock.advance(4_000)
  }
  expect(await leaving(lab)).toEqual(victims)
  expect((await lab.pod('urgent')).status?.conditions).toMatchObject([{ reason: 'Unschedulable' }])
  expect((await lab.pod('urgent')).status?.nominatedNodeName).toBeDefined()
  await reap(lab)
  await lab.clock.advance(12_000)
  expect(await nodeOf(lab, 'urgent')).toMatch(/^node-[ab]$/)
})

test('the room that was made is not given to a pod of lower priority', async () => {
  await using lab = await startWith({ 'node-a': 2 })
  await run(lab, 'meek', 'low', 2)
  await run(lab, 'urgent', 'high', 2)
  await reap(lab)
  await run(lab, 'sneaky', 'mid')
  expect(await nodeOf(lab, 'sneaky')).toBeUndefined()
  await lab.clock.advance(2_000)
  expect(await nodeOf(lab, 'urgent')).toBe('node-a')
})

test('a budget spares its pods as long as others can leave', async () => {
  await using lab = await startWith({ 'node-a': 1, 'node-b': 1 })
  await lab.createPod('guarded', { requests: { [DONGLE]: '1' }, priorityClassName: 'low' })
  await lab.settle()
  const guarded = { namespace: 'default', name: 'guarded' }
  await lab.admin.client.patch(resourceRefs.pods, guarded, { metadata: { labels: { app: 'db' } } }, { type: 'merge' })
  await run(lab, 'dearer', 'mid')
  const budget: PodDisruptionBudget = {
    metadata: { name: 'db', namespace: 'default' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'db' } } },
  }
  await lab.admin.client.create(resourceRefs.podDisruptionBudgets, budget)
  const status = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 }
  const target = { namespace: 'default', name: 'db' }
  await lab.admin.client.patch(
    resourceRefs.podDisruptionBudgets,
    target,
    { status },
    { type: 'merge', subresource: 'status' },
  )
  await lab.settle()
  await run(lab, 'urgent', 'high')
  expect(await leaving(lab)).toEqual(['dearer'])
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
])('$it preempts nobody, and the condition says so', async ({ priority, spec, says, units = 1 }) => {
  await using lab = await startWith({ 'node-a': 1 })
  await run(lab, 'meek', 'low')
  await run(lab, 'urgent', priority, units, spec)
  await lab.clock.advance(2_000)
  expect(await leaving(lab)).toEqual([])
  expect((await lab.pod('urgent')).status?.conditions?.[0]?.message).toBe(
    `0/1 nodes are available: 1 Insufficient example.com/dongle. ${says}`,
  )
})

test('a profile without DefaultPreemption evicts nobody', async () => {
  const config = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{ schedulerName: berth-scheduler, plugins: { postFilter: { disabled: [{ name: DefaultPreemption }] } } }]
`
  await using lab = await startWith({ 'node-a': 1 }, { config })
  await run(lab, 'meek', 'low')
  await run(lab, 'urgent', 'high')
  expect(await leaving(lab)).toEqual([])
  expect((await lab.pod('urgent')).status?.conditions?.[0]?.message).toBe(
    '0/1 nodes are available: 1 Insufficient example.com/dongle.',
  )
})

test('a nomination of a lower priority gives way to a higher one', async () => {
  await using lab = await startWith({ 'node-a': 1 })
  await run(lab, 'meek', 'low')
  await run(lab, 'middle', 'mid')
  expect((await lab.pod('middle')).status?.nominatedNodeName).toBe('node-a')
  await run(lab, 'urgent', 'high')
  expect((await lab.pod('urgent')).status?.nominatedNodeName).toBe('node-a')
  expect((await lab.pod('middle')).status?.nominatedNodeName).toBeUndefined()
  await reap(lab)
  await lab.clock.advance(12_000)
  expect([await nodeOf(lab, 'urgent'), await nodeOf(lab, 'middle')]).toEqual(['node-a', undefined])
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

test('a victim that may not be deleted is an error of the attempt, which names the permission and is tried again', async () => {
  const { refused, intercept } = refusing(1, ({ method, path }) => method === 'DELETE' && path.includes('/pods/'))
  await using lab = await startWith({ 'node-a': 1 }, { intercept })
  await run(lab, 'meek', 'low')
  await run(lab, 'urgent', 'high')
  expect(refused.count).toBe(1)
  expect(await leaving(lab)).toEqual([])
  const urgent = await lab.pod('urgent')
  expect(urgent.status?.conditions).toMatchObject([
    {
      reason: 'SchedulerError',
      message: 'preempt pod default/meek for default/urgent: delete pods default/meek: no (403)',
    },
  ])
  expect(urgent.status?.nominatedNodeName).toBeUndefined()
  expect(lab.view.state.nominatedPods('node-a')).toEqual([])
  await lab.clock.advance(3_000)
  expect(await leaving(lab)).toEqual(['meek'])
})

test.for([
  {
    it: 'may forbid a node',
    answer: ({ NodeNameToMetaVictims: asked }: Preempting) => ({
      NodeNameToMetaVictims: Object.fromEntries(Object.entries(asked).filter(([node]) => node !== 'node-a')),
    }),
    victims: ['dearer'],
  },
  { it: 'may forbid all', answer: () => ({}), victims: [], says: 'preemption: no candidate node for preemption' },
  {
    it: 'that breaks forbids all',
    answer: () => 500,
    victims: [],
    says: expect.stringContaining('preemption: failed preempt with extender at URL') as string,
  },
  { it: 'that breaks is passed over when it is ignorable', answer: () => 500, ignorable: true, victims: ['meek'] },
  {
    it: 'cannot name a pod that is not there',
    answer: () => ({ NodeNameToMetaVictims: { 'node-a': { Pods: [{ UID: 'nobody' }] } } }),
    victims: [],
    says: expect.stringContaining('but the pod is not found on that node') as string,
  },
  {
    it: 'must name somebody',
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
  await using lab = await startWith({ 'node-a': 1, 'node-b': 1 }, { config })
  await run(lab, 'meek', 'low')
  await run(lab, 'dearer', 'mid')
  expect([await nodeOf(lab, 'meek'), await nodeOf(lab, 'dearer')]).toEqual(['node-a', 'node-b'])
  await run(lab, 'urgent', 'high')
  const written = async (): Promise<string | undefined> => (await lab.pod('urgent')).status?.conditions?.[0]?.message
  for (let i = 0; i < 200 && (await written()) === undefined; i++) await lab.settle()
  await lab.settle()
  expect(extender.calls.map(({ verb }) => verb)).toContain('preempt')
  expect(extender.calls[0]?.body).toMatchObject({
    Pod: { metadata: { name: 'urgent' } },
    NodeNameToMetaVictims: { 'node-a': { NumPDBViolations: 0, Pods: [{ UID: (await lab.pod('meek')).metadata.uid }] } },
  })
  expect(await leaving(lab)).toEqual(victims)
  if (says === undefined) return
  const text = '0/2 nodes are available: 2 Insufficient example.com/dongle. '
  expect((await written())?.slice(text.length)).toEqual(says)
})

interface Preempting {
  readonly NodeNameToMetaVictims: Readonly<Record<string, unknown>>
}
