import type { BerthPlugin, SchedulingHooks, WaitingPods } from '@berth/plugin-api'
import { resourceRefs } from '@berth/k8s-client'
import { type Pod, StatusCode } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestCluster, type TestCluster, type TestClusterOptions } from './test-cluster.ts'

const DONGLE = 'example.com/dongle'
const WAIT_MS = 60_000

function plugin(name: string, hooks: SchedulingHooks): BerthPlugin {
  return {
    kind: 'scheduling',
    apiVersion: 'berth.dev/v1',
    name,
    description: 'A scripted plugin.',
    argsSchema: z.strictObject({}),
    create: () => hooks,
  }
}

/** Starts a scheduler whose profile runs these plugins at every extension point. */
function startWith(
  ...[first, ...others]: readonly [BerthPlugin | TestClusterOptions, ...BerthPlugin[]]
): Promise<TestCluster> {
  const plugins = 'name' in first ? [first, ...others] : others
  const enabled = plugins.map(({ name }) => `{ name: ${name} }`).join(', ')
  const config = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{ schedulerName: berth-scheduler, plugins: { multiPoint: { enabled: [${enabled}] } } }]
`
  return startTestCluster({ ...('name' in first ? {} : first), config, plugins })
}

/** A plugin that delays the pods whose name begins with "gang", and records what becomes of them. */
function gangPlugin(timeoutMs = WAIT_MS) {
  const undone: string[] = []
  let waitingPods: WaitingPods = { list: () => [], get: () => undefined }
  const gang = plugin('gang', {
    permit(pod, _node, context) {
      ;({ waitingPods } = context)
      return pod.metadata.name?.startsWith('gang') === true ? { kind: 'wait', timeoutMs } : undefined
    },
    unreserve: (pod) => void undone.push(pod.metadata.name ?? ''),
  })
  return { gang, undone, waiting: () => waitingPods.list() }
}

const names = (pods: ReturnType<WaitingPods['list']>): readonly (string | undefined)[] =>
  pods.map(({ pod }) => pod.metadata.name)
const nodeOf = async (cluster: TestCluster, name: string): Promise<string | undefined> =>
  (await cluster.pod(name)).spec.nodeName
const messageOf = async (cluster: TestCluster, name: string): Promise<string | undefined> =>
  (await cluster.pod(name)).status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message

describe('a pod that permit delays', () => {
  test('is in the registry, and is bound when the plugin allows it', async () => {
    const { gang, waiting } = gangPlugin()
    await using cluster = await startWith(gang)
    await cluster.createNode('node-a', {})
    await cluster.createPod('gang-0')
    await cluster.settle()
    expect(names(waiting())).toEqual(['gang-0'])
    expect(waiting()[0]).toMatchObject({ nodeName: 'node-a' })
    expect(waiting()[0]?.pendingPlugins()).toEqual(['gang'])
    expect(cluster.scheduler.waitingPods).toMatchObject({ size: 1 })
    expect(await nodeOf(cluster, 'gang-0')).toBeUndefined()
    waiting()[0]?.allow()
    await cluster.settle()
    expect(await nodeOf(cluster, 'gang-0')).toBe('node-a')
    expect(waiting()).toEqual([])
  })

  test('waits for every plugin that delays it; each plugin allows it only for itself', async () => {
    const first = gangPlugin()
    let second: WaitingPods | undefined
    const other = plugin('other', {
      permit(_pod, _node, context) {
        second = context.waitingPods
        return { kind: 'wait', timeoutMs: WAIT_MS }
      },
    })
    await using cluster = await startWith(first.gang, other)
    await cluster.createNode('node-a', {})
    await cluster.createPod('gang-0')
    await cluster.settle()
    first.waiting()[0]?.allow()
    await cluster.settle()
    expect(second?.list()[0]?.pendingPlugins()).toEqual(['other'])
    expect(await nodeOf(cluster, 'gang-0')).toBeUndefined()
    second?.list()[0]?.allow()
    await cluster.settle()
    expect(await nodeOf(cluster, 'gang-0')).toBe('node-a')
  })

  test('is not in the list during its own permit hook', async () => {
    const seen: (readonly (string | undefined)[])[] = []
    const gang = plugin('gang', {
      permit(_pod, _node, { waitingPods }) {
        seen.push(names(waitingPods.list()))
        return { kind: 'wait', timeoutMs: WAIT_MS }
      },
    })
    await using cluster = await startWith(gang)
    await cluster.createNode('node-a', {})
    for (const name of ['gang-0', 'gang-1', 'gang-2']) await cluster.createPod(name)
    await cluster.settle()
    expect(seen.map(({ length }) => length)).toEqual([0, 1, 2])
  })

  test.for([
    { it: 'its own timeout', timeoutMs: 10_000, after: 10_000, text: '10s' },
    { it: 'at most 15 minutes', timeoutMs: 3_600_000, after: 900_000, text: '15m0s' },
  ])('is rejected after $it', async ({ timeoutMs, after, text }) => {
    const { gang, undone } = gangPlugin(timeoutMs)
    await using cluster = await startWith(gang)
    await cluster.createNode('node-a', {})
    await cluster.createPod('gang-0')
    await cluster.clock.advance(after - 1_000)
    expect(undone).toEqual([])
    await cluster.clock.advance(2_000)
    expect(undone).toEqual(['gang-0'])
    expect(await messageOf(cluster, 'gang-0')).toBe(`rejected due to timeout after waiting ${text} at plugin gang`)
  })

  test('is rejected after 15 minutes when its promise stays pending', async () => {
    const silent = plugin('silent', { permit: () => new Promise(() => {}) })
    await using cluster = await startWith(silent)
    await cluster.createNode('node-a', {})
    await cluster.createPod('web')
    await cluster.clock.advance(899_000)
    expect(cluster.scheduler.waitingPods.size).toBe(1)
    await cluster.clock.advance(1_500)
    expect(await messageOf(cluster, 'web')).toBe('rejected due to timeout after waiting 15m0s at plugin silent')
  })

  test('is rejected with the reason of the plugin', async () => {
    const { gang, waiting, undone } = gangPlugin()
    await using cluster = await startWith(gang)
    await cluster.createNode('node-a', {})
    await cluster.createPod('gang-0')
    await cluster.settle()
    const [pod] = waiting()
    expect(pod?.reject('the gang has too few members')).toBe(true)
    expect(pod?.reject('again')).toBe(false)
    await cluster.settle()
    expect(await messageOf(cluster, 'gang-0')).toBe('the gang has too few members')
    expect(await cluster.events('gang-0')).toContain('FailedScheduling: the gang has too few members')
    expect(undone).toEqual(['gang-0'])
    expect(cluster.scheduler.counts()).toMatchObject({ inFlight: 0, unschedulable: 1 })
  })
})

test('places other pods while 1,500 pods wait', async () => {
  const { gang, waiting } = gangPlugin()
  await using cluster = await startWith(gang)
  await cluster.createNode('node-a', { pods: '5000' })
  for (let i = 0; i < 1_500; i++) await cluster.createPod(`gang-${i}`)
  await cluster.clock.advance(1_000)
  expect(waiting()).toHaveLength(1_500)
  await cluster.createPod('web')
  await cluster.settle()
  expect(await nodeOf(cluster, 'web')).toBe('node-a')
  for (const pod of waiting()) pod.allow()
  await cluster.clock.advance(1_000)
  expect([...cluster.view.pods()].filter(({ spec }) => spec.nodeName !== undefined)).toHaveLength(1_501)
})

test('places other pods while 1,500 pods wait in preBind', async () => {
  const slow = plugin('slow', {
    preBind: (pod) => (pod.metadata.name === 'web' ? undefined : new Promise(() => {})),
  })
  await using cluster = await startWith(slow)
  await cluster.createNode('node-a', { pods: '5000' })
  for (let i = 0; i < 1_500; i++) await cluster.createPod(`slow-${i}`)
  await cluster.clock.advance(1_000)
  await cluster.createPod('web')
  await cluster.clock.advance(1_000)
  expect(await nodeOf(cluster, 'web')).toBe('node-a')
})

test('places other pods while 1,500 binds of a plugin of another profile hang', async () => {
  const stuck = plugin('stuck', { bind: () => new Promise(() => {}) })
  const config = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - { schedulerName: berth-scheduler }
  - { schedulerName: stuck, plugins: { bind: { enabled: [{ name: stuck }] } } }
`
  await using cluster = await startTestCluster({ config, plugins: [stuck] })
  await cluster.createNode('node-a', { pods: '5000' })
  for (let i = 0; i < 1_500; i++) await cluster.createPod(`stuck-${i}`, { schedulerName: 'stuck' })
  await cluster.clock.advance(500)
  await cluster.createPod('web')
  await cluster.clock.advance(500)
  expect(await nodeOf(cluster, 'web')).toBe('node-a')
})

test('a waiting pod that is allowed after the Lease was lost is not bound', async () => {
  const { gang, waiting, undone } = gangPlugin()
  let isLeader = true
  const binds: string[] = []
  await using cluster = await startWith(
    {
      mayWrite: () => isLeader,
      intercept: (handle) => (request) => {
        if (request.path.includes('/binding')) binds.push(request.path)
        return handle(request)
      },
    },
    gang,
  )
  await cluster.createNode('node-a', {})
  await cluster.createPod('gang-0')
  await cluster.settle()
  isLeader = false
  waiting()[0]?.allow()
  await cluster.settle()
  expect(binds).toEqual([])
  expect(undone).toEqual(['gang-0'])
})

describe('the room of a waiting pod', () => {
  /** One node with one dongle, which `gang-0` holds while `next` has no room. */
  async function startFull() {
    const parts = gangPlugin()
    const cluster = await startWith(parts.gang)
    await cluster.createNode('node-a', { [DONGLE]: '1' })
    await cluster.createPod('gang-0', { requests: { [DONGLE]: '1' } })
    await cluster.settle()
    await cluster.createPod('next', { requests: { [DONGLE]: '1' } })
    await cluster.clock.advance(12_000)
    expect(await messageOf(cluster, 'next')).toContain('Insufficient example.com/dongle')
    return { ...parts, cluster, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
  }

  test.for([
    { it: 'deleted', leave: ({ cluster }: Full) => cluster.deletePod('gang-0') },
    { it: 'rejected', leave: ({ waiting }: Full) => void waiting()[0]?.reject('no') },
    { it: 'timed out', leave: ({ cluster }: Full) => cluster.clock.advance(WAIT_MS - 12_000) },
  ])('goes to the next pod at once when the pod is $it', async ({ leave }) => {
    await using full = await startFull()
    await leave(full)
    // The backoff of the next pod has ended: only the wake-up is missing.
    await full.cluster.clock.advance(100)
    expect(await nodeOf(full.cluster, 'next')).toBe('node-a')
    expect(full.undone).toEqual(['gang-0'])
  })

  test('goes to a pod of higher priority; the waiting pod is retried and not deleted', async () => {
    await using full = await startFull()
    const { cluster, undone } = full
    await cluster.deletePod('next')
    await cluster.createPriorityClass('high', 1_000)
    await cluster.createPod('urgent', { requests: { [DONGLE]: '1' }, priorityClassName: 'high' })
    await cluster.clock.advance(2_000)
    expect(await nodeOf(cluster, 'urgent')).toBe('node-a')
    const victim = await cluster.pod('gang-0')
    expect(victim.metadata.deletionTimestamp).toBeUndefined()
    expect(victim.status?.conditions?.some(({ type }) => type === 'DisruptionTarget')).toBe(false)
    const { uid } = (await cluster.pod('urgent')).metadata
    expect(await cluster.events('gang-0')).toContain(
      `Preempted: Preempted by pod ${uid} on node node-a (in kube-scheduler memory).`,
    )
    expect(await cluster.events('gang-0')).toContain('FailedScheduling: waiting on permit for pod: preempted')
    expect(undone).toEqual(['gang-0'])
    await cluster.createNode('node-b', { [DONGLE]: '1' })
    await cluster.clock.advance(12_000)
    expect(names(full.waiting())).toEqual(['gang-0'])
  })

  type Full = Awaited<ReturnType<typeof startFull>>
})

test.for(['reserve', 'preBind'] as const)(
  'a pod in %s that is preempted is retried and not deleted, and its hook is aborted',
  async (hook) => {
    let aborted = 0
    const undone: string[] = []
    const slow = plugin('slow', {
      [hook]: (pod: Pod, _node: string, { signal }: { readonly signal: AbortSignal }) =>
        pod.metadata.name === 'meek'
          ? new Promise<undefined>((_resolve, reject) => {
              signal.addEventListener('abort', () => {
                aborted += 1
                reject(signal.reason as Error)
              })
            })
          : undefined,
      unreserve: (pod) => void undone.push(pod.metadata.name ?? ''),
    })
    await using cluster = await startWith(slow)
    await cluster.createPriorityClass('high', 1_000)
    await cluster.createNode('node-a', { [DONGLE]: '1' })
    await cluster.createPod('meek', { requests: { [DONGLE]: '1' } })
    await cluster.settle()
    await cluster.createPod('urgent', { requests: { [DONGLE]: '1' }, priorityClassName: 'high' })
    await cluster.clock.advance(3_000)
    expect((await cluster.pod('meek')).metadata.deletionTimestamp).toBeUndefined()
    expect([aborted, undone]).toEqual([1, ['meek']])
    expect(await nodeOf(cluster, 'urgent')).toBe('node-a')
    expect(await cluster.events('meek')).toContainEqual(
      expect.stringMatching(/^Preempted: .* on node node-a \(in kube-scheduler memory\)\.$/),
    )
    expect(await cluster.events('meek')).toContain('FailedScheduling: preempted by DefaultPreemption')
    expect(await messageOf(cluster, 'meek')).toContain('Insufficient example.com/dongle')
  },
)

test('a pod whose bind has started is deleted when it is preempted', async () => {
  const hung = plugin('hung', {
    bind: (pod) => (pod.metadata.name === 'meek' ? new Promise<never>(() => {}) : { kind: 'skip' }),
  })
  await using cluster = await startWith(hung)
  await cluster.createPriorityClass('high', 1_000)
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('meek', { requests: { [DONGLE]: '1' } })
  await cluster.settle()
  await cluster.createPod('urgent', { requests: { [DONGLE]: '1' }, priorityClassName: 'high' })
  await cluster.settle()
  const { items } = await cluster.admin.client.list<Pod>(resourceRefs.pods)
  const isDeleted = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined
  expect(items.filter((pod) => !isDeleted(pod)).map(({ metadata }) => metadata.name)).toEqual(['urgent'])
})

test('a pod preempts again while a waiting pod that it preempted waits on another node', async () => {
  const { gang, waiting } = gangPlugin(900_000)
  await using cluster = await startWith(gang)
  await cluster.createPriorityClass('high', 1_000)
  await cluster.createPriorityClass('higher', 2_000)
  const takeNode = (name: string, priorityClassName: string): Promise<Pod> =>
    cluster.createPod(name, {
      requests: { [DONGLE]: '1' },
      schedulerName: 'other',
      priorityClassName,
      spec: { nodeName: 'node-a' },
    })
  await cluster.createPriorityClass('low', 1)
  await cluster.createNode('node-a', { [DONGLE]: '1' }, { labels: { host: 'a' } })
  await cluster.createPod('gang-0', { requests: { [DONGLE]: '1' } })
  await cluster.settle()
  await cluster.createPod('urgent', {
    requests: { [DONGLE]: '1' },
    priorityClassName: 'high',
    spec: { nodeSelector: { host: 'a' } },
  })
  await cluster.settle()
  expect(names(waiting())).toEqual([])
  // Another scheduler takes the room before the retry.
  await takeNode('first', 'higher')
  await cluster.createNode('node-b', { [DONGLE]: '1' })
  await cluster.clock.advance(30_000)
  expect(names(waiting())).toEqual(['gang-0'])
  await takeNode('second', 'low')
  await cluster.deletePod('first')
  await cluster.clock.advance(12_000)
  const { items } = await cluster.admin.client.list<Pod>(resourceRefs.pods)
  const isDeleted = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined
  expect(items.filter(isDeleted).map(({ metadata }) => metadata.name)).toEqual(['second'])
})

test('a pod that is deleted in preBind frees its room at once', async () => {
  const slow = plugin('slow', {
    preBind: (pod) => (pod.metadata.name === 'next' ? undefined : new Promise(() => {})),
  })
  await using cluster = await startWith(slow)
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('slow', { requests: { [DONGLE]: '1' } })
  await cluster.settle()
  await cluster.createPod('next', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(3_000)
  await cluster.deletePod('slow')
  await cluster.clock.advance(500)
  expect(await nodeOf(cluster, 'next')).toBe('node-a')
})

test.for([
  { it: 'deleted', lose: (cluster: TestCluster) => cluster.deletePod('gang-0') },
  {
    it: 'bound by another scheduler',
    lose: (cluster: TestCluster, pod: Pod) =>
      cluster.admin.client.bind(pod, 'node-b', { signal: new AbortController().signal, mayStart: () => true }),
  },
])('a pod that is $it during reserve does not wait in permit, and frees its room', async ({ lose }) => {
  const reserving = Promise.withResolvers<undefined>()
  const { gang, undone, waiting } = gangPlugin()
  const slow = plugin('slow', { reserve: (pod) => (pod.metadata.name === 'gang-0' ? reserving.promise : undefined) })
  await using cluster = await startWith(slow, gang)
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  const pod = await cluster.createPod('gang-0', { requests: { [DONGLE]: '1' } })
  await cluster.settle()
  await cluster.createNode('node-b', {})
  await lose(cluster, pod)
  await cluster.settle()
  reserving.resolve(undefined)
  await cluster.createPod('next', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(3_000)
  expect(names(waiting())).toEqual([])
  expect(undone).toEqual(['gang-0'])
  expect(await nodeOf(cluster, 'next')).toBe('node-a')
})

test('shutdown ends the wait without binding, undoes reserve once, and does not wait for the plugins', async () => {
  const { gang, undone, waiting } = gangPlugin()
  const cluster = await startWith(gang)
  await cluster.createNode('node-a', {})
  await cluster.createPod('gang-0')
  await cluster.createPod('gang-1')
  await cluster.settle()
  const pods = waiting()
  expect(pods).toHaveLength(2)
  await cluster.stop()
  let isOver = false
  void cluster.scheduler[Symbol.asyncDispose]().then(() => (isOver = true))
  await cluster.settle()
  expect(isOver).toBe(true)
  for (const pod of pods) pod.allow()
  await cluster.settle()
  expect(undone).toEqual(['gang-0', 'gang-1'])
  const { items } = await cluster.admin.client.list(resourceRefs.pods)
  expect(items).toHaveLength(2)
  expect(await nodeOf(cluster, 'gang-0')).toBeUndefined()
  await cluster[Symbol.asyncDispose]()
})

describe('reserve is undone exactly once, in reverse order', () => {
  const rejection = { kind: 'reject', code: StatusCode.Unschedulable, reasons: ['no'] } as const
  const fail = (): never => {
    throw new Error('broken')
  }
  test.for([
    { it: 'reserve rejects', hooks: { reserve: () => rejection } },
    { it: 'reserve fails', hooks: { reserve: fail } },
    { it: 'permit rejects', hooks: { permit: () => rejection } },
    { it: 'permit fails', hooks: { permit: fail } },
    { it: 'permit times out', hooks: { permit: () => ({ kind: 'wait', timeoutMs: 100 }) as const } },
    { it: 'preBind rejects', hooks: { preBind: () => rejection } },
    { it: 'preBind fails', hooks: { preBind: fail } },
    { it: 'preBind hangs', hooks: { preBind: () => new Promise<undefined>(() => {}) } },
    { it: 'bind rejects', hooks: { bind: () => rejection } },
    { it: 'bind fails', hooks: { bind: fail } },
    { it: 'bind did not bind', hooks: { bind: () => ({ kind: 'bound' }) as const } },
    { it: 'unreserve fails', hooks: { preBind: fail }, failing: true },
  ] as readonly { readonly it: string; readonly hooks: SchedulingHooks; readonly failing?: true }[])(
    'when $it',
    async ({ hooks, failing }) => {
      const calls: string[] = []
      let attempts = 0
      const recording = (name: string): SchedulingHooks => ({
        reserve() {
          attempts += name === 'first' ? 1 : 0
          calls.push(`reserve ${name}`)
          return undefined
        },
        unreserve: () => void calls.push(`unreserve ${name}`),
      })
      const first = plugin('first', recording('first'))
      const middle = plugin('middle', {
        ...hooks,
        unreserve() {
          calls.push('unreserve middle')
          if (failing === true) fail()
        },
      })
      const last = plugin('last', recording('last'))
      await using cluster = await startWith(first, middle, last)
      await cluster.createNode('node-a', {})
      await cluster.createPod('web')
      await cluster.clock.advance(10_200)
      await cluster.stop()
      // A bind hook that failed may have bound the pod: this is known after a minute.
      await cluster.clock.advance(75_000)
      expect(attempts).toBeGreaterThan(0)
      const undone = calls.filter((call) => call.startsWith('unreserve'))
      expect(undone).toEqual(
        Array.from({ length: attempts }, () => ['unreserve last', 'unreserve middle', 'unreserve first']).flat(),
      )
    },
  )

  test('and never after a bind', async () => {
    const { gang, undone, waiting } = gangPlugin()
    await using cluster = await startWith(gang)
    await cluster.createNode('node-a', {})
    await cluster.createPod('gang-0')
    await cluster.settle()
    const [pod] = waiting()
    pod?.allow()
    await cluster.settle()
    expect(pod?.reject('too late')).toBe(false)
    await cluster.deletePod('gang-0')
    await cluster.clock.advance(1_000)
    expect(undone).toEqual([])
  })
})
