import { fakeClock, type FakeClock } from '@berth/clock/testing'
import { connectCluster } from '@berth/k8s-client'
import type { ListWatchServer } from '@berth/k8s-client/testing'
import { silentLogger, type ApiHandler, type Logger, type Node, type Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { startClusterView, type ClusterView } from '../src/index.ts'
import { serveCluster, type ServedCluster } from './served-cluster.ts'

const DONGLE = 'example.com/dongle'
type Named = { readonly metadata: { readonly name: string; readonly namespace?: string } }
const node = (name: string, dongles: string): Node & Named => ({
  metadata: { name },
  status: { allocatable: { [DONGLE]: dongles, pods: '110' } },
})
const pod = (
  name: string,
  dongles: string,
  spec: Partial<Pod['spec']> = {},
  status: Pod['status'] = {},
): Pod & Named => ({
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  spec: { containers: [{ name: 'c', resources: { requests: { [DONGLE]: dongles } } }], ...spec },
  status,
})

interface Bed {
  readonly clock: FakeClock
  readonly served: ServedCluster
  readonly nodes: ListWatchServer
  readonly pods: ListWatchServer
  readonly view: ClusterView
  readonly changes: string[]
  readonly held: (nodeName: string) => bigint | undefined
}

async function start(hasWatchList = true, log: Logger = silentLogger): Promise<Bed> {
  const clock = fakeClock()
  const served = serveCluster({ hasWatchList })
  const { nodes, pods, handle: handler } = served
  const cluster = connectCluster({ handler, log, clock, random: () => 0.5, userAgent: 'test' })
  const view = startClusterView({ cluster, log, clock })
  const changes: string[] = []
  view.subscribe((change) => {
    const { metadata } = 'pod' in change ? change.pod : 'node' in change ? change.node : change.object
    changes.push(`${change.kind} ${metadata.name}${change.old === undefined ? '' : ' with old'}`)
  })
  const held = (nodeName: string): bigint | undefined => {
    const row = view.state.rowOf(nodeName)
    return row === undefined ? undefined : view.state.requested(row, DONGLE)
  }
  nodes.put(node('n1', '4'))
  await clock.settle()
  return { clock, served, nodes, pods, view, changes, held }
}

describe('the cluster view', () => {
  test.for([true, false])(
    'mirrors nodes and pods into the state, then notifies listeners (WatchList %s)',
    async (hasWatchList) => {
      const { clock, nodes, pods, view, changes, held } = await start(hasWatchList)
      await clock.advance(0)
      await view.waitForSync()
      expect(view.isSynced()).toBe(true)
      const seen: boolean[] = []
      view.subscribe((change) => {
        if (change.kind === 'pod-added') seen.push(view.pod(`default/${change.pod.metadata.name}`) === change.pod)
      })
      pods.put(pod('waiting', '1'))
      pods.put(pod('bound', '2', { nodeName: 'n1' }))
      await clock.settle()
      expect(held('n1')).toBe(2n)
      expect(seen).toEqual([true, true])
      expect([...view.pods()].map(({ metadata }) => metadata.name)).toEqual(['waiting', 'bound'])
      pods.put(pod('waiting', '1', { nodeName: 'n1' }))
      nodes.put(node('n1', '8'))
      await clock.settle()
      expect(held('n1')).toBe(3n)
      expect(view.state.allocatable(view.state.rowOf('n1') ?? -1, DONGLE)).toBe(8n)
      pods.put(pod('bound', '2', { nodeName: 'n1' }, { phase: 'Succeeded' }))
      pods.remove('default/waiting')
      await clock.settle()
      expect(held('n1')).toBe(0n)
      nodes.remove('n1')
      await clock.settle()
      expect(view.state.nodeCount).toBe(0)
      expect([...view.nodes()]).toEqual([])
      expect(changes).toEqual([
        'node-added n1',
        'pod-added waiting',
        'pod-added bound',
        'pod-updated waiting with old',
        'node-updated n1 with old',
        'pod-updated bound with old',
        'pod-deleted waiting',
        'node-deleted n1',
      ])
      expect(view.stats().listenerErrors).toBe(0)
      await view[Symbol.asyncDispose]()
    },
  )

  test('counts an assumed pod at once, and confirms it when the pod is seen bound', async () => {
    const { clock, pods, view, held } = await start()
    const waiting = pod('p', '2')
    pods.put(waiting)
    await clock.settle()
    view.assume(waiting, 'n1')
    expect(held('n1')).toBe(2n)
    // An update from before the bind does not undo the assumption.
    pods.put(pod('p', '2', {}, { conditions: [] }))
    await clock.settle()
    expect(view.state.isAssumed(waiting)).toBe(true)
    pods.put(pod('p', '2', { nodeName: 'n1' }))
    await clock.settle()
    expect(view.state.isAssumed(waiting)).toBe(false)
    expect(held('n1')).toBe(2n)
    expect(view.stats().assumed).toBe(0)
    await clock.advance(600_000)
    expect(held('n1')).toBe(2n)
  })

  test('frees the units of an assumption that is forgotten, or whose pod is deleted or ends', async () => {
    const { clock, pods, view, held } = await start()
    for (const name of ['a', 'b', 'c']) pods.put(pod(name, '1'))
    await clock.settle()
    for (const name of ['a', 'b', 'c']) view.assume(pod(name, '1'), 'n1')
    expect(held('n1')).toBe(3n)
    view.forget(pod('a', '1'))
    pods.remove('default/b')
    pods.put(pod('c', '1', {}, { phase: 'Failed' }))
    await clock.settle()
    expect(held('n1')).toBe(0n)
    expect(view.stats()).toMatchObject({ assumed: 0, expiredAssumptions: 0 })
    view.forget(pod('a', '1'))
  })

  test('expires an unconfirmed assumption after two minutes, if the view is fresh', async () => {
    const { clock, served, view, held } = await start()
    view.assume(pod('lost', '1'), 'n1')
    view.assume(pod('slow', '1'), 'n1', { expiresAfterMs: 600_000 })
    await clock.advance(60_000)
    for (const server of served.all()) server.bookmark()
    await clock.advance(59_000)
    expect(held('n1')).toBe(2n)
    await clock.advance(2_000)
    expect(held('n1')).toBe(1n)
    expect(view.stats()).toMatchObject({ expiredAssumptions: 1, assumed: 1 })
    await view[Symbol.asyncDispose]()
    expect(clock.pendingTimers()).toBe(0)
  })

  test('is not synced during an outage of the server, and keeps assumptions', async () => {
    const clock = fakeClock()
    let isDown = false
    const served = serveCluster()
    const { nodes, pods } = served
    const handler: ApiHandler = (request) =>
      isDown ? Promise.reject(new Error('unreachable')) : served.handle(request)
    const cluster = connectCluster({ handler, log: silentLogger, clock, random: () => 0.5, userAgent: 'test' })
    const view = startClusterView({ cluster, log: silentLogger, clock, maxAgeMs: 60_000 })
    expect(view.ageMs()).toBe(Infinity)
    nodes.put(node('n1', '4'))
    await clock.settle()
    expect(view.isSynced()).toBe(true)
    view.assume(pod('p', '1'), 'n1')
    isDown = true
    for (const server of served.all()) server.breakWatches()
    await clock.advance(130_000)
    expect(view.isSynced()).toBe(false)
    expect(view.ageMs()).toBeGreaterThan(120_000)
    expect(view.stats().assumed).toBe(1)
    isDown = false
    // The bind had happened during the outage.
    pods.put(pod('p', '1', { nodeName: 'n1' }))
    await clock.advance(46_000)
    expect(view.isSynced()).toBe(true)
    expect(view.stats()).toMatchObject({ assumed: 0, expiredAssumptions: 0 })
    expect(view.state.requested(view.state.rowOf('n1') ?? -1, DONGLE)).toBe(1n)
    await view[Symbol.asyncDispose]()
  })

  test('keeps a nomination while the pod waits', async () => {
    const { clock, pods, view } = await start()
    const nominated = (): readonly (string | undefined)[] =>
      view.state.nominatedPods('n1').map(({ metadata }) => metadata.name)
    pods.put(pod('p', '1', {}, { nominatedNodeName: 'n1' }))
    await clock.settle()
    expect(nominated()).toEqual(['p'])
    pods.put(pod('p', '1'))
    await clock.settle()
    expect(nominated()).toEqual([])
    pods.put(pod('p', '1', {}, { nominatedNodeName: 'n1' }))
    pods.put(pod('p', '1', { nodeName: 'n1' }, { nominatedNodeName: 'n1' }))
    await clock.settle()
    expect(nominated()).toEqual([])
  })

  test('skips, counts and names an object that cannot be accounted for, and mirrors the others', async () => {
    const warned: string[] = []
    const { clock, nodes, pods, view, held } = await start(true, {
      ...silentLogger,
      warn: ({ resource, object, err }) => void warned.push(`${String(resource)} ${String(object)}: ${String(err)}`),
    })
    pods.put(pod('good', '1', { nodeName: 'n1' }))
    pods.put(pod('bad', 'one', { nodeName: 'n1' }))
    pods.put({ ...pod('worse', '1'), spec: undefined as unknown as Pod['spec'] } as Pod & Named)
    nodes.put(node('n2', 'many'))
    await clock.settle()
    expect(held('n1')).toBe(1n)
    expect(view.state.rowOf('n2')).toBeUndefined()
    expect(view.stats().pods.undecodable).toBe(2)
    expect(view.stats().nodes.undecodable).toBe(1)
    expect(warned.toSorted()).toEqual([
      expect.stringMatching(/^nodes n2: QuantityError: parse quantity "many": /),
      expect.stringMatching(/^pods default\/bad: QuantityError: parse quantity "one": /),
      expect.stringMatching(/^pods default\/worse: TypeError: /),
    ])
    expect(view.isSynced()).toBe(true)
  })

  test('counts a listener that throws, and still notifies the others', async () => {
    const { clock, pods, view, changes } = await start()
    const end = view.subscribe(() => {
      throw new Error('listener')
    })
    pods.put(pod('p', '1'))
    await clock.settle()
    end()
    pods.put(pod('q', '1'))
    await clock.settle()
    expect(changes.filter((change) => change.startsWith('pod'))).toEqual(['pod-added p', 'pod-added q'])
    expect(view.stats().listenerErrors).toBe(1)
  })

  test('waitForSync rejects when its signal aborts', async () => {
    const clock = fakeClock()
    const handler: ApiHandler = () => new Promise(() => undefined)
    const cluster = connectCluster({ handler, log: silentLogger, clock, random: () => 0.5, userAgent: 'test' })
    const view = startClusterView({ cluster, log: silentLogger, clock })
    await expect(view.waitForSync(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
    await view[Symbol.asyncDispose]()
  })
})
