import { forEachConcurrently, systemClock } from '@berth/clock'
import { connectQuietly } from '@berth/e2e/cluster/connect-with-kubeconfig'
import { connectTransport, resourceRefs, type Cluster } from '@berth/k8s-client'
import type { RealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { silentLogger, type ObjectReference, type Pod } from '@berth/types'
import { assertCorrect, type BenchOptions, type Measurement } from '../measurement.ts'
import { rounded, summarize } from '../statistics.ts'
import { plainHttpClient, type PlainHttpClient } from './plain-http-client.ts'

const IN_FLIGHT = 32
const NAMESPACE = 'default'

/** The client to measure: a plain loop over HTTP/1.1, or Berth's client over HTTP/2 or over pooled HTTP/1.1. */
type ClientKind = 'plain' | 'h2' | 'h1'

/** Two clients that do the same work, timed one right after the other. */
interface Comparison {
  readonly name: string
  readonly baseline: readonly [ClientKind, label: string]
  readonly own: readonly [ClientKind, label: string]
  readonly withEvents: boolean
  /** Whether the same client watches pods, nodes and events at the same time. */
  readonly isWatching: boolean
}

const againstPlainHttp = { baseline: ['plain', 'bare loop'], own: ['h2', 'berth'], isWatching: false } as const
const comparisons: readonly Comparison[] = [
  { ...againstPlainHttp, name: 'bind', withEvents: false },
  { ...againstPlainHttp, name: 'bind and event', withEvents: true },
  {
    name: 'bind while watching',
    baseline: ['h1', 'HTTP/1.1'],
    own: ['h2', 'HTTP/2'],
    withEvents: false,
    isWatching: true,
  },
]

/** Binds new pods with two clients in turns, and checks every bind and event afterwards. */
export async function benchBinds(server: RealApiServer, options: BenchOptions): Promise<readonly Measurement[]> {
  const rounds = options.isQuick ? 2 : 31
  const pods = options.isQuick ? 64 : 160
  const plain = await plainHttpClient(server.access(), IN_FLIGHT)
  const samples = comparisons.map(() => new Array<readonly [baseline: number, own: number]>())
  await using cluster = connect(server, 'h2')
  for (let round = 0; round <= rounds; round++) {
    for (const [at, comparison] of comparisons.entries()) {
      const us = await runComparison(server, cluster, plain, comparison, { pods, isOwnFirst: round % 2 === 0 })
      // The first round warms up.
      if (round > 0) samples[at]?.push(us)
    }
    const latest = samples.map((all) => (all.at(-1) ?? []).map(rounded).join('/'))
    options.progress(`binds: round ${round} of ${rounds}, ${latest.join(' ')} us`)
  }
  plain.close()
  return comparisons.flatMap(({ name, baseline, own }, at) => {
    const pairs = samples[at] ?? []
    const line = (label: string, us: readonly number[]) => ({
      bench: 'client',
      case: `${name}, ${IN_FLIGHT} in flight, ${label}`,
      unit: 'us' as const,
      ...summarize(us),
    })
    // The ratio is computed per round: the machine's load changes between rounds but affects both clients of a round.
    const { median: ratio } = summarize(pairs.map(([baselineUs, ownUs]) => baselineUs / ownUs))
    const baselineLine = line(
      baseline[1],
      pairs.map(([us]) => us),
    )
    const ownLine = line(
      own[1],
      pairs.map(([, us]) => us),
    )
    return [baselineLine, { ...ownLine, against: baseline[1], ratio }]
  })
}

/** Binds pods with one client. Closing it waits until the server has everything. */
interface PodBinder extends AsyncDisposable {
  bind(pod: Pod): Promise<void>
}

async function openBinder(
  server: RealApiServer,
  plain: PlainHttpClient,
  client: ClientKind,
  comparison: Comparison,
): Promise<PodBinder> {
  const { withEvents, isWatching } = comparison
  if (client === 'plain')
    return { bind: (pod) => bindOverPlainHttp(plain, pod, withEvents), [Symbol.asyncDispose]: () => Promise.resolve() }
  const cluster = connect(server, client)
  const mirrored = isWatching ? [resourceRefs.pods, resourceRefs.nodes, resourceRefs.events] : []
  await Promise.all(mirrored.map((resource) => cluster.reflect(resource).waitForSync()))
  // Connects before the timing starts: the plain client has its connections from the round before.
  await cluster.serverVersion()
  return {
    async bind(pod) {
      const outcome = await cluster.client.bind(pod, nodeOf(pod))
      assertCorrect(outcome.kind === 'bound', `the bind of ${pod.metadata.name}: ${outcome.kind}`)
      if (withEvents) cluster.events.record({ ...eventOf(pod), regarding: referenceOf(pod) })
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

function connect(server: RealApiServer, by: 'h2' | 'h1'): Cluster {
  const parts = { log: silentLogger, clock: systemClock() }
  const transport = connectTransport(server.access(), { ...parts, isHttp1Only: by === 'h1' })
  const cluster = connectQuietly({ handler: transport.handle })
  return {
    ...cluster,
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]()
      await transport[Symbol.asyncDispose]()
    },
  }
}

/** @returns Microseconds of wall time per pod, of the baseline and of Berth's client. */
async function runComparison(
  server: RealApiServer,
  cluster: Cluster,
  plain: PlainHttpClient,
  comparison: Comparison,
  { pods, isOwnFirst }: { readonly pods: number; readonly isOwnFirst: boolean },
): Promise<readonly [baseline: number, own: number]> {
  const sides = [comparison.baseline[0], comparison.own[0]].map((client, side) => ({
    client,
    made: new Array<Pod>(),
    side,
    us: 0,
  }))
  for (const { made, side } of sides)
    await forEachConcurrently(Array.from({ length: pods }).keys(), IN_FLIGHT, async (i) => {
      const pod: Pod = {
        metadata: { namespace: NAMESPACE, name: `bound-${side}-${i}` },
        spec: { containers: [{ name: 'main', image: 'none' }] },
      }
      made.push(await cluster.client.create(resourceRefs.pods, pod))
    })
  for (const runner of isOwnFirst ? sides.toReversed() : sides) {
    const binder = await openBinder(server, plain, runner.client, comparison)
    const startedAt = performance.now()
    await forEachConcurrently(runner.made, IN_FLIGHT, (pod) => binder.bind(pod))
    await binder[Symbol.asyncDispose]()
    runner.us = ((performance.now() - startedAt) * 1000) / pods
  }
  await checkAndClear(
    cluster,
    sides.flatMap(({ made }) => made),
    comparison.withEvents,
  )
  return [sides[0]?.us ?? 0, sides[1]?.us ?? 0]
}

async function bindOverPlainHttp(plain: PlainHttpClient, pod: Pod, withEvents: boolean): Promise<void> {
  const { name = '', uid } = pod.metadata
  const status = await plain.post(`/api/v1/namespaces/${NAMESPACE}/pods/${name}/binding`, {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { namespace: NAMESPACE, name, uid },
    target: { kind: 'Node', name: nodeOf(pod) },
  })
  assertCorrect(status === 201, `the plain bind of ${name}: ${status}`)
  if (!withEvents) return
  const eventStatus = await plain.post(`/apis/events.k8s.io/v1/namespaces/${NAMESPACE}/events`, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { namespace: NAMESPACE, name: `${name}.${uid}` },
    eventTime: new Date().toISOString().replace('Z', '000Z'),
    reportingController: 'plain',
    reportingInstance: 'plain',
    ...eventOf(pod),
    regarding: referenceOf(pod),
  })
  assertCorrect(eventStatus === 201, `the plain event of ${name}: ${eventStatus}`)
}

/** Checks that every pod is on its node and, with events, has exactly one event. Then deletes pods and events. */
async function checkAndClear(cluster: Cluster, made: readonly Pod[], withEvents: boolean): Promise<void> {
  const { client } = cluster
  const { items } = await client.list<Pod>(resourceRefs.pods, { namespace: NAMESPACE })
  const placed = items.filter((pod) => pod.spec.nodeName === nodeOf(pod)).length
  assertCorrect(placed === made.length, `${placed} of ${made.length} pods are on their nodes`)
  const events = await client.list(resourceRefs.events, { namespace: NAMESPACE })
  const expected = withEvents ? made.length : 0
  assertCorrect(events.items.length === expected, `${events.items.length} events instead of ${expected}`)
  for (const plural of [
    '/api/v1/namespaces/default/pods?gracePeriodSeconds=0',
    '/apis/events.k8s.io/v1/namespaces/default/events',
  ]) {
    const { status, body } = await client.raw({ method: 'DELETE', path: plural, headers: {} })
    for await (const _ of body) continue
    assertCorrect(status === 200, `deleting ${plural}: ${status}`)
  }
}

function nodeOf(pod: Pod): string {
  return `node-${pod.metadata.name}`
}

function referenceOf({ metadata }: Pod): ObjectReference {
  const { name = '', uid = '' } = metadata
  return { apiVersion: 'v1', kind: 'Pod', namespace: NAMESPACE, name, uid }
}

function eventOf(pod: Pod) {
  const note = `Successfully assigned ${NAMESPACE}/${pod.metadata.name} to ${nodeOf(pod)}`
  return { type: 'Normal', reason: 'Scheduled', action: 'Binding', note } as const
}
