import { type BerthPlugin, type EffectContext, perNode, type SchedulingHooks } from '@berth/plugin-api'
import { type LogFields, type Pod, silentLogger, StatusCode } from '@berth/types'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type TestCluster, type TestClusterOptions, startTestCluster } from './test-cluster.ts'

const DONGLE = 'example.com/dongle'

/** Starts a scheduler with a profile that runs a plugin with these hooks at every extension point. */
function startWith(hooks: SchedulingHooks, options: TestClusterOptions = {}): Promise<TestCluster> {
  const plugin: BerthPlugin = {
    kind: 'scheduling',
    apiVersion: 'berth.dev/v1',
    name: 'probe',
    description: 'Records what is called.',
    argsSchema: z.strictObject({}),
    create: () => hooks,
  }
  const config = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{ schedulerName: berth-scheduler, plugins: { multiPoint: { enabled: [{ name: probe }] } } }]
`
  return startTestCluster({ config, plugins: [plugin], ...options })
}

const refusal = { kind: 'reject', code: StatusCode.Unschedulable, reasons: ['not today'] } as const

async function startFull(cluster: TestCluster): Promise<void> {
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('web', { requests: { [DONGLE]: '1' } })
}

test('runs the effect hooks in order, with one state for all of them', async () => {
  const calls: string[] = []
  const note = (hook: string, state: Map<string, unknown>): undefined => {
    state.set('calls', [...((state.get('calls') as string[] | undefined) ?? []), hook])
    calls.splice(0, calls.length, ...(state.get('calls') as string[]))
    return undefined
  }
  await using cluster = await startWith({
    reserve: (_pod, _node, { state }) => note('reserve', state),
    permit: (_pod, _node, { state }) => note('permit', state),
    preBind: (_pod, _node, { state }) => note('preBind', state),
    bind: (_pod, _node, { state }) => {
      note('bind', state)
      return { kind: 'skip' }
    },
    postBind: (_pod, _node, { state }) => {
      note('postBind', state)
    },
    unreserve: (_pod, _node, { state }) => {
      note('unreserve', state)
    },
  })
  await startFull(cluster)
  await cluster.settle()
  expect((await cluster.pod('web')).spec.nodeName).toBe('node-a')
  expect(calls).toEqual(['reserve', 'permit', 'preBind', 'bind', 'postBind'])
})

test.for(['reserve', 'permit', 'preBind', 'bind'] as const)(
  'undoes the attempt and keeps the pod pending when %s rejects it',
  async (hook) => {
    const undone: string[] = []
    let isRefusing = true
    await using cluster = await startWith({
      [hook]: () => (isRefusing ? refusal : hook === 'bind' ? { kind: 'skip' } : undefined),
      unreserve: (pod) => void undone.push(pod.metadata.name ?? ''),
    })
    await startFull(cluster)
    await cluster.clock.advance(500)
    expect((await cluster.pod('web')).status?.conditions).toMatchObject([
      { reason: 'Unschedulable', message: 'not today' },
    ])
    expect(undone).not.toHaveLength(0)
    const row = cluster.view.state.rowOf('node-a') ?? -1
    expect(cluster.view.state.requested(row, DONGLE)).toBe(0n)
    isRefusing = false
    await cluster.createNode('node-b', {})
    await cluster.clock.advance(2_000)
    expect((await cluster.pod('web')).spec.nodeName).toBe('node-a')
  },
)

test.for(['reserve', 'permit', 'preBind', 'postFilter'] as const)(
  'fails the attempt and retries when %s throws',
  async (hook) => {
    let failures = 0
    await using cluster = await startWith({
      [hook]: () => {
        if (failures > 0) return undefined
        failures += 1
        throw new Error('broken')
      },
      ...(hook === 'postFilter' && { reserve: () => undefined }),
    })
    if (hook === 'postFilter') {
      await cluster.createNode('node-0', {})
      await cluster.createPod('web', { requests: { [DONGLE]: '1' } })
    }
    if (hook !== 'postFilter') await startFull(cluster)
    await cluster.clock.advance(500)
    expect((await cluster.pod('web')).status?.conditions).toMatchObject([
      { reason: 'SchedulerError', message: expect.stringContaining(`run ${hook} of plugin probe: broken`) as string },
    ])
    await cluster.createNode('node-b', { [DONGLE]: '1' })
    await cluster.clock.advance(12_000)
    expect((await cluster.pod('web')).spec.nodeName).toMatch(/^node-[ab]$/)
  },
)

test('fails an attempt when a hook misses its deadline', async () => {
  let calls = 0
  await using cluster = await startWith({
    preBind: () => {
      calls += 1
      return calls === 1 ? new Promise<undefined>(() => {}) : undefined
    },
  })
  await startFull(cluster)
  await cluster.clock.advance(9_000)
  expect(cluster.scheduler.counts().inFlight).toBe(1)
  await cluster.clock.advance(5_000)
  expect((await cluster.pod('web')).spec.nodeName).toBe('node-a')
})

test.for(['reserve', 'unreserve', 'postFilter'] as const)(
  'schedules a pod at once while %s hangs for five others',
  async (hook) => {
    const isGood = (pod: Pod): boolean => pod.metadata.name === 'good'
    const hang = (): Promise<undefined> => new Promise(() => {})
    await using cluster = await startWith({
      reserve: (pod) => (hook === 'reserve' && !isGood(pod) ? hang() : undefined),
      permit: (pod) => (hook === 'unreserve' && !isGood(pod) ? refusal : undefined),
      ...(hook !== 'reserve' && { [hook]: (pod: Pod) => (isGood(pod) ? undefined : hang()) }),
    })
    await cluster.createNode('node-a', {})
    const requests = hook === 'postFilter' ? { [DONGLE]: '1' } : {}
    for (let i = 0; i < 5; i++) await cluster.createPod(`bad-${i}`, { requests })
    await cluster.settle()
    await cluster.createPod('good')
    await cluster.clock.advance(500)
    expect((await cluster.pod('good')).spec.nodeName).toBe('node-a')
    expect((await cluster.pod('bad-4')).spec.nodeName).toBeUndefined()
  },
)

test('runs an asynchronous reserve hook before the filters of the next pod', async () => {
  const held = new Set<string>()
  await using cluster = await startWith({
    ...perNode({ filter: () => (held.size > 0 ? 'the only license is taken' : undefined) }),
    reserve: async (pod) => {
      for (let i = 0; i < 20; i++) await Promise.resolve()
      held.add(pod.metadata.name ?? '')
      return undefined
    },
  })
  await cluster.createNode('node-a', {})
  await Promise.all(['one', 'two', 'three'].map((name) => cluster.createPod(name)))
  await cluster.clock.advance(500)
  expect(held.size).toBe(1)
})

test.for([
  { hook: 'preBind', lossIn: 'permit' },
  { hook: 'bind', lossIn: 'preBind' },
  { hook: 'postFilter', lossIn: undefined },
] as const)('does not run $hook once another replica may schedule', async ({ hook, lossIn }) => {
  let isLeader = true
  const calls: string[] = []
  const hooks = Object.fromEntries(
    ['permit', 'preBind', 'bind', 'postFilter'].map((name) => [
      name,
      () => {
        calls.push(name)
        if (name === lossIn) isLeader = false
        return name === 'bind' ? { kind: 'skip' } : undefined
      },
    ]),
  )
  await using cluster = await startWith(hooks, { mayWrite: () => isLeader })
  await cluster.createNode('node-a', {})
  if (lossIn === undefined) isLeader = false
  await cluster.createPod('web', { requests: lossIn === undefined ? { [DONGLE]: '1' } : {} })
  await cluster.clock.advance(500)
  expect(calls).not.toContain(hook)
  expect(cluster.view.stats().assumed).toBe(0)
  expect((await cluster.pod('web')).spec.nodeName).toBeUndefined()
})

test.for(['preBind', 'bind', 'postFilter'] as const)('aborts %s when the Lease is lost', async (hook) => {
  const lost = new AbortController()
  const signals: AbortSignal[] = []
  const wait = (signal: AbortSignal): Promise<undefined> => {
    signals.push(signal)
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('stopped')))
    })
  }
  const hooks: SchedulingHooks =
    hook === 'postFilter'
      ? { postFilter: (_pod, _rejected, { signal }) => wait(signal) }
      : { [hook]: (_pod: Pod, _node: string, { signal }: EffectContext) => wait(signal) }
  await using cluster = await startWith(hooks, { lost: lost.signal })
  await cluster.createNode('node-a', {})
  await cluster.createPod('web', { requests: hook === 'postFilter' ? { [DONGLE]: '1' } : {} })
  await cluster.settle()
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  lost.abort()
  expect(signals[0]?.aborted).toBe(true)
  await cluster.settle()
  // A bind that was sent may still take effect.
  expect(cluster.scheduler.counts().inFlight).toBe(hook === 'bind' ? 1 : 0)
})

test('runs reserve for at most 1,000 pods of a profile at once', async () => {
  const reserving = Promise.withResolvers<undefined>()
  let calls = 0
  const reserve = (): Promise<undefined> => {
    calls += 1
    return reserving.promise
  }
  await using cluster = await startWith({ reserve })
  await cluster.createNode('node-a', { pods: '5000' })
  for (let i = 0; i < 1_010; i++) await cluster.createPod(`web-${i}`)
  // Each attempt takes a turn of the event loop, and settling takes a few dozen turns.
  for (let turns = 0; turns < 50; turns++) await cluster.settle()
  expect(calls).toBe(1_000)
  reserving.resolve(undefined)
  await cluster.clock.advance(1_000)
  expect(calls).toBe(1_010)
})

test('schedules the next pod while permit delays one', async () => {
  let let_go = (): void => {}
  await using cluster = await startWith({
    permit: (pod) =>
      pod.metadata.name === 'held'
        ? new Promise((resolve) => {
            let_go = () => resolve(undefined)
          })
        : undefined,
  })
  await cluster.createNode('node-a', {})
  await cluster.createPod('held')
  await cluster.createPod('next')
  await cluster.clock.advance(60_000)
  expect((await cluster.pod('next')).spec.nodeName).toBe('node-a')
  expect((await cluster.pod('held')).spec.nodeName).toBeUndefined()
  let_go()
  await cluster.clock.advance(1_000)
  expect((await cluster.pod('held')).spec.nodeName).toBe('node-a')
})

test('confirms with the API server that a bind plugin bound the pod', async () => {
  await using cluster = await startWith({ bind: () => ({ kind: 'bound' }) })
  await startFull(cluster)
  await cluster.clock.advance(500)
  expect((await cluster.pod('web')).status?.conditions).toMatchObject([
    {
      reason: 'SchedulerError',
      message:
        'bind pod default/web to node node-a: a bind plugin reported that it bound the pod, but the pod is not bound',
    },
  ])
})

test('keeps the room of a pod whose bind hook missed its deadline and may still bind it', async () => {
  await using cluster = await startWith({
    bind: ({ metadata }) => (metadata.name === 'web' ? new Promise<never>(() => {}) : { kind: 'skip' }),
  })
  await startFull(cluster)
  await cluster.clock.advance(1_000)
  await cluster.createPod('rival', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(14_000)
  expect((await cluster.pod('rival')).spec.nodeName).toBeUndefined()
  await cluster.admin.client.bind(await cluster.pod('web'), 'node-a')
  await cluster.clock.advance(15_000)
  expect((await cluster.pod('web')).spec.nodeName).toBe('node-a')
  expect((await cluster.pod('rival')).spec.nodeName).toBeUndefined()
})

test('keeps the room of a pod whose bind hook threw after its request was sent', async () => {
  await using cluster = await startWith({
    bind: async ({ metadata }) => {
      if (metadata.name !== 'web') return { kind: 'skip' }
      throw new Error('socket hang up')
    },
  })
  await startFull(cluster)
  await cluster.clock.advance(1_000)
  await cluster.createPod('rival', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(50_000)
  expect((await cluster.pod('rival')).spec.nodeName).toBeUndefined()
  // The API server acts on the request of the hook.
  await cluster.admin.client.bind(await cluster.pod('web'), 'node-a')
  await cluster.clock.advance(75_000)
  expect((await cluster.pod('web')).spec.nodeName).toBe('node-a')
  expect((await cluster.pod('rival')).spec.nodeName).toBeUndefined()
})

test.for([
  { it: 'threw', code: undefined, assumed: 1, retriedAfterMs: 75_000 },
  { it: 'rejected it with an error', code: StatusCode.Error, assumed: 0, retriedAfterMs: 3_000 },
])('retries a pod whose bind hook $it, after $retriedAfterMs ms', async ({ code, assumed, retriedAfterMs }) => {
  let calls = 0
  await using cluster = await startWith({
    bind: () => {
      calls += 1
      if (calls > 1) return { kind: 'skip' }
      if (code === undefined) throw new Error('broken')
      return { kind: 'reject', code, reasons: ['broken'] }
    },
  })
  await startFull(cluster)
  await cluster.clock.advance(500)
  expect(cluster.view.stats()).toMatchObject({ assumed })
  await cluster.clock.advance(retriedAfterMs)
  expect((await cluster.pod('web')).spec.nodeName).toBe('node-a')
  expect(await cluster.events('web')).toContainEqual(expect.stringContaining('broken'))
})

test('writes the node that a postFilter plugin nominates to the status', async () => {
  await using cluster = await startWith({ postFilter: () => ({ kind: 'nominate', nodeName: 'node-a' }) })
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('web', { requests: { [DONGLE]: '2' } })
  await cluster.clock.advance(500)
  expect((await cluster.pod('web')).status?.nominatedNodeName).toBe('node-a')
})

test('evicts no pod for a pod that is deleted while its postFilter hooks run', async () => {
  const answered = Promise.withResolvers<undefined>()
  const config = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: berth-scheduler
    plugins:
      postFilter: { disabled: [{ name: "*" }], enabled: [{ name: probe }, { name: DefaultPreemption }] }
`
  await using cluster = await startWith({ postFilter: () => answered.promise }, { config })
  await startFull(cluster)
  await cluster.createPriorityClass('high', 1_000)
  await cluster.settle()
  await cluster.createPod('urgent', { requests: { [DONGLE]: '1' }, priorityClassName: 'high' })
  await cluster.settle()
  await cluster.deletePod('urgent')
  await cluster.settle()
  answered.resolve(undefined)
  await cluster.clock.advance(1_000)
  expect(await cluster.pod('web')).toMatchObject({ spec: { nodeName: 'node-a' } })
  expect((await cluster.pod('web')).metadata.deletionTimestamp).toBeUndefined()
})

test('orders the queue by a queueSort plugin', async () => {
  const order: string[] = []
  await using cluster = await startWith({
    queueSort: (a, b) => ((a.pod.metadata.name ?? '') < (b.pod.metadata.name ?? '') ? 1 : -1),
    reserve: (pod) => void order.push(pod.metadata.name ?? ''),
  })
  for (const name of ['a', 'b', 'c']) await cluster.createPod(name)
  await cluster.settle()
  await cluster.createNode('node-a', {})
  await cluster.clock.advance(3_000)
  expect(order).toEqual(['c', 'b', 'a'])
})

test('fails the attempt, and not the scheduler, when a plugin scores out of bounds', async () => {
  await using cluster = await startWith({
    score(pod, candidates, scores) {
      for (let i = 0; i < candidates.count; i++) scores[i] = pod.metadata.name === 'bad' ? 101 : 1
    },
  })
  for (const name of ['node-a', 'node-b']) await cluster.createNode(name, {})
  await cluster.createPod('bad')
  await cluster.createPod('good')
  await cluster.clock.advance(500)
  expect((await cluster.pod('good')).spec.nodeName).toMatch(/^node-[ab]$/)
  expect((await cluster.pod('bad')).status?.conditions).toMatchObject([
    {
      reason: 'SchedulerError',
      message: expect.stringContaining('plugin "probe" returns an invalid score 101') as string,
    },
  ])
})

test.for([
  {
    it: 'a filter',
    hooks: perNode({ filter: () => true as never }),
    says: 'running Filter plugin "probe": filter returned true for node node-a, expected undefined to accept the node',
  },
  {
    it: 'a permit hook',
    hooks: { permit: () => true as never },
    says: 'run permit of plugin probe: permit returned true for node node-a, expected undefined',
  },
])(
  'names plugin, hook, node, value and expectation when $it returns true, also in the log',
  async ({ hooks, says }) => {
    const errors: LogFields[] = []
    const log = { ...silentLogger, error: (fields: LogFields) => void errors.push(fields) }
    await using cluster = await startWith(hooks, { log })
    await cluster.createNode('node-a', {})
    await cluster.createPod('web')
    await cluster.clock.advance(500)
    const message = expect.stringContaining(says) as string
    expect((await cluster.pod('web')).status?.conditions).toMatchObject([{ reason: 'SchedulerError', message }])
    expect((await cluster.events('web')).join()).toContain(says)
    expect(errors).toContainEqual(expect.objectContaining({ plugin: 'probe', pod: 'default/web' }))
  },
)

test('merges reasons that differ per node in the condition and in the event', async () => {
  await using cluster = await startWith(perNode({ filter: (_pod, { name }) => `${name} is quiet` }))
  for (const name of ['node-a', 'node-b', 'node-c', 'node-d']) await cluster.createNode(name, {})
  await cluster.createPod('web')
  await cluster.clock.advance(500)
  const says = '0/4 nodes are available: 4 rejected by plugin probe: node-a is quiet and 3 other reasons.'
  expect((await cluster.pod('web')).status?.conditions?.[0]?.message).toContain(says)
  expect((await cluster.events('web')).join()).toContain(says)
})
