import { fakeClock, seededRandom, type FakeClock } from '@berth/clock/testing'
import { type ApiClient, connectCluster, resourceRefs } from '@berth/k8s-client'
import { startEmbeddedCluster } from '@berth/simulator'
import { type Node, type Pod, silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { testCluster } from './test-cluster.ts'

const dongle = 'example.com/dongle'
const ZONES = ['a', 'b', 'c']
/** Long enough for the controllers to recreate pods, too short for a node without a kubelet to lose its pods. */
const SETTLE_MS = 30_000
/** A pod of a removed node is collected after it has been missing for this long. */
const COLLECT_MS = 120_000

/** A change of a cluster, as flags of whatif. */
interface Change {
  readonly drained: readonly string[]
  readonly removed: readonly string[]
  readonly added: ReadonlyMap<string, number>
}

/** Number of pods by zone and state, such as `a placed`, `a pending`, and names of pods that are gone. */
type Outcome = Readonly<Record<string, number>>

interface Simulation extends AsyncDisposable {
  readonly client: ApiClient
  readonly clock: FakeClock
  nodes(): Promise<readonly Node[]>
  pods(): Promise<readonly Pod[]>
}

/** Starts a cluster with these nodes. Each has a kubelet, which ends evicted pods. */
async function simulation(snapshot: readonly Node[]): Promise<Simulation> {
  const clock = fakeClock()
  const random = seededRandom(1)
  const cluster = await startEmbeddedCluster({ nodes: 0, snapshot, clock, random, serve: false, schedulesPods: true })
  const connected = connectCluster({
    handler: cluster.handle,
    clock,
    random,
    log: silentLogger,
    userAgent: 'test',
    qps: 0,
  })
  const { client } = connected
  return {
    client,
    clock,
    nodes: async () => (await client.list<Node>(resourceRefs.nodes)).items,
    pods: async () => (await client.list<Pod>(resourceRefs.pods, { namespace: 'default' })).items,
    async [Symbol.asyncDispose]() {
      await connected[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
    },
  }
}

function nodeOf(name: string, zone: string, dongles: string): Node {
  const amounts = { cpu: '64', memory: '64Gi', pods: '100', [dongle]: dongles }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { zone, 'kubernetes.io/hostname': name } },
    status: { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] },
  }
}

function podSpec(zone: string): Pod['spec'] {
  const amounts = { [dongle]: '1' }
  return {
    nodeSelector: { zone },
    containers: [{ name: 'c', image: 'x', resources: { requests: amounts, limits: amounts } }],
  }
}

async function addWorkload({ client }: Simulation, zone: string, replicas: number): Promise<void> {
  const labels = { app: zone }
  await client.create(resourceRefs.replicaSets, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: `web-${zone}`, namespace: 'default' },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec(zone) } },
  } as never)
}

async function addBarePod({ client }: Simulation, zone: string): Promise<void> {
  const metadata = { name: `bare-${zone}`, namespace: 'default' }
  await client.create<Pod>(resourceRefs.pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec: podSpec(zone) })
}

/** Asks whatif about a snapshot of the cluster. */
async function predicted(cluster: Simulation, words: readonly string[]): Promise<Outcome> {
  const pods = await cluster.pods()
  const items = [
    ...(await cluster.nodes()).map((node) => ({ apiVersion: 'v1', kind: 'Node', ...node })),
    ...pods.map((pod) => ({ apiVersion: 'v1', kind: 'Pod', ...pod })),
  ]
  const reader = testCluster({ 'cluster.json': JSON.stringify({ items }) })
  const text = await reader.run('whatif', ...words, '--snapshot', 'cluster.json', '-o', 'json')
  const answer = JSON.parse(text) as {
    readonly pods: readonly { readonly name: string; readonly nodeAfter?: string; readonly message: string }[]
  }
  const after = new Map(answer.pods.map((each) => [each.name, each]))
  return countBy(
    pods.map((pod) => {
      const { name = '' } = pod.metadata
      const moved = after.get(name)
      if (moved?.message.startsWith('it is deleted') === true) return `${name} gone`
      return stateOf(pod, moved === undefined ? pod.spec.nodeName : moved.nodeAfter)
    }),
  )
}

/** Reads where the pods of the cluster are. */
async function observed(cluster: Simulation, before: readonly Pod[]): Promise<Outcome> {
  const pods = await cluster.pods()
  const names = new Set(pods.map(({ metadata }) => metadata.name))
  const gone = before.flatMap(({ metadata }) =>
    metadata.ownerReferences === undefined && !names.has(metadata.name) ? [`${metadata.name} gone`] : [],
  )
  return countBy([...pods.map((pod) => stateOf(pod, pod.spec.nodeName)), ...gone])
}

function stateOf({ spec }: Pod, node: string | undefined): string {
  return `${spec.nodeSelector?.['zone']} ${node === undefined || node === '' ? 'pending' : 'placed'}`
}

function countBy(states: readonly string[]): Outcome {
  return Object.fromEntries([...Map.groupBy(states, (state) => state)].map(([state, all]) => [state, all.length]))
}

/** Makes the change in the cluster, as an administrator would. */
async function make(cluster: Simulation, { drained, removed, added }: Change): Promise<void> {
  const { client } = cluster
  const nodes = new Map((await cluster.nodes()).map((node) => [node.metadata.name ?? '', node]))
  for (const name of [...drained, ...removed])
    await client.patch(resourceRefs.nodes, { name }, { spec: { unschedulable: true } }, { type: 'merge' })
  for (const [name, count] of added) {
    const { metadata, status } = nodes.get(name) ?? { metadata: {} }
    for (let copy = 1; copy <= count; copy++) {
      const node = nodeOf(
        `${name}-copy-${copy}`,
        metadata.labels?.['zone'] ?? '',
        String(status?.allocatable?.[dongle]),
      )
      await client.create(resourceRefs.nodes, node)
      await client.patchNodeStatus(node.metadata.name ?? '', { status: node.status }, { fieldManager: 'test' })
    }
  }
  for (const pod of await cluster.pods()) if (drained.includes(pod.spec.nodeName ?? '')) await client.evict(pod)
  for (const name of removed) await client.delete(resourceRefs.nodes, { name })
}

function flagsOf({ drained, removed, added }: Change): readonly string[] {
  return [
    ...drained.flatMap((name) => ['--drain', name]),
    ...removed.flatMap((name) => ['--remove-node', name]),
    ...[...added].flatMap(([name, count]) => ['--add-node', `${name}=${count}`]),
  ]
}

/** Generates nodes with room for some of the pods only, what runs there, and a change of the nodes. */
function generate(seed: number): {
  readonly nodes: readonly Node[]
  readonly workloads: readonly { readonly zone: string; readonly replicas: number; readonly hasBarePod: boolean }[]
  readonly change: Change
} {
  const random = seededRandom(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const nodes = ZONES.flatMap((zone) =>
    Array.from({ length: 1 + below(3) }, (_, i) => nodeOf(`node-${zone}-${i}`, zone, String(below(5)))),
  )
  const workloads = ZONES.map((zone) => ({ zone, replicas: below(9), hasBarePod: below(2) === 0 }))
  const names = nodes.map(({ metadata }) => metadata.name ?? '').toSorted(() => random() - 0.5)
  const drained = names.splice(0, below(3))
  const removed = names.splice(0, below(2))
  const [template = ''] = names
  const addsNone = drained.length + removed.length > 0 && below(2) === 0
  return { nodes, workloads, change: { drained, removed, added: new Map(addsNone ? [] : [[template, 1 + below(3)]]) } }
}

describe('whatif agrees with the simulated cluster after the change is made', () => {
  test.for(Array.from({ length: 24 }, (_, seed) => seed))('in cluster %i', async (seed) => {
    const { nodes, workloads, change } = generate(seed)
    await using cluster = await simulation(nodes)
    for (const { zone, replicas, hasBarePod } of workloads) {
      await addWorkload(cluster, zone, replicas)
      if (hasBarePod) await addBarePod(cluster, zone)
    }
    await cluster.clock.advance(SETTLE_MS)
    const before = await cluster.pods()
    const expected = await predicted(cluster, flagsOf(change))
    await make(cluster, change)
    await cluster.clock.advance(change.removed.length > 0 ? COLLECT_MS : SETTLE_MS)
    expect({ change, outcome: await observed(cluster, before) }).toEqual({ change, outcome: expected })
  })

  test('of other requests of a pod', async () => {
    await using cluster = await simulation([nodeOf('node-a', 'a', '3')])
    for (const zone of ['a', 'b']) await addBarePod(cluster, zone)
    await cluster.clock.advance(SETTLE_MS)
    for (const amount of ['3', '4']) {
      const words = ['pod', 'bare-a', '--requests', `${dongle}=${amount}`]
      const expected = await predicted(cluster, words)
      await cluster.client.delete(resourceRefs.pods, { namespace: 'default', name: 'bare-a' })
      await cluster.clock.advance(SETTLE_MS)
      const amounts = { [dongle]: amount }
      await cluster.client.create<Pod>(resourceRefs.pods, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'bare-a', namespace: 'default' },
        spec: {
          ...podSpec('a'),
          containers: [{ name: 'c', image: 'x', resources: { requests: amounts, limits: amounts } }],
        },
      })
      await cluster.clock.advance(SETTLE_MS)
      expect({ amount, outcome: await observed(cluster, []) }).toEqual({ amount, outcome: expected })
    }
  })

  test.for([
    { freeDongles: '4', minAvailable: 2 },
    { freeDongles: '2', minAvailable: 2 },
    { freeDongles: '1', minAvailable: 1 },
    { freeDongles: '0', minAvailable: 2 },
    { freeDongles: '4', minAvailable: 3 },
  ])('of a drain under a PodDisruptionBudget: %j', async ({ freeDongles, minAvailable }) => {
    // Cordoned until the pods run, so that all of them are on the other node.
    const other = { ...nodeOf('node-b', 'a', freeDongles), spec: { unschedulable: true } }
    await using cluster = await simulation([nodeOf('node-a', 'a', '4'), other])
    const { client, clock } = cluster
    await client.create(resourceRefs.podDisruptionBudgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'default' },
      spec: { minAvailable, selector: { matchLabels: { app: 'a' } } },
    } as never)
    await addWorkload(cluster, 'a', 3)
    await clock.advance(SETTLE_MS)
    const cordon = (name: string, unschedulable: boolean) =>
      client.patch(resourceRefs.nodes, { name }, { spec: { unschedulable } }, { type: 'merge' })
    await cordon('node-b', false)
    await clock.advance(SETTLE_MS)

    const budgets = (await client.list<object>(resourceRefs.podDisruptionBudgets)).items
    const items = [
      ...(await cluster.nodes()).map((node) => ({ apiVersion: 'v1', kind: 'Node', ...node })),
      ...(await cluster.pods()).map((pod) => ({ apiVersion: 'v1', kind: 'Pod', ...pod })),
      ...budgets.map((budget) => ({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', ...budget })),
    ]
    const reader = testCluster({ 'cluster.json': JSON.stringify({ items }) })
    const text = await reader.run('whatif', '--drain', 'node-a', '--snapshot', 'cluster.json', '-o', 'json')
    const answer = JSON.parse(text) as { readonly pods: readonly { readonly nodeAfter?: string }[] }

    await cordon('node-a', true)
    // As kubectl drain does: again and again, until nothing changes any more.
    for (let round = 0; round < 6; round++) {
      const left = (await cluster.pods()).filter(({ spec }) => spec.nodeName === 'node-a')
      for (const pod of left) await client.evict(pod)
      await clock.advance(SETTLE_MS)
    }
    const nodesOf = (names: readonly (string | undefined)[]): Outcome => countBy(names.map((name) => name || 'pending'))
    expect(nodesOf(answer.pods.map(({ nodeAfter }) => nodeAfter))).toEqual(
      nodesOf((await cluster.pods()).map(({ spec }) => spec.nodeName)),
    )
  })
})
