import { systemClock } from '@berth/clock'
import { connectCluster, connectTransport, resourceRefs, type Cluster } from '@berth/k8s-client'
import type { RealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { silentLogger, type ObjectReference, type Pod } from '@berth/types'
import { mustHold, type BenchOptions, type Measurement } from '../measurement.ts'
import { rounded, summarize } from '../statistics.ts'
import { bareCalls, inParallel, type BareCalls } from './bare-calls.ts'

const IN_FLIGHT = 32
const NAMESPACE = 'default'

/** What makes the calls: a bare loop over HTTP/1.1, or Berth's client over HTTP/2 or over pooled HTTP/1.1. */
type Way = 'bare' | 'h2' | 'h1'

/** Two ways to do the same, timed one right after the other. */
interface Race {
  readonly name: string
  readonly rival: readonly [Way, label: string]
  readonly own: readonly [Way, label: string]
  readonly withEvents: boolean
  /** Whether the same client mirrors pods, nodes and events meanwhile. */
  readonly isWatching: boolean
}

const againstBare = { rival: ['bare', 'bare loop'], own: ['h2', 'berth'], isWatching: false } as const
const races: readonly Race[] = [
  { ...againstBare, name: 'bind', withEvents: false },
  { ...againstBare, name: 'bind and event', withEvents: true },
  {
    name: 'bind while watching',
    rival: ['h1', 'HTTP/1.1'],
    own: ['h2', 'HTTP/2'],
    withEvents: false,
    isWatching: true,
  },
]

/** Binds fresh pods in two ways in turns, and checks each bind and each event afterwards. */
export async function benchBinds(server: RealApiServer, options: BenchOptions): Promise<readonly Measurement[]> {
  const rounds = options.isQuick ? 2 : 31
  const pods = options.isQuick ? 64 : 160
  const bare = await bareCalls(server.access(), IN_FLIGHT)
  const samples = races.map(() => new Array<readonly [rival: number, own: number]>())
  await using cluster = connect(server, 'h2')
  for (let round = 0; round <= rounds; round++) {
    for (const [at, race] of races.entries()) {
      const us = await runRace(server, cluster, bare, race, { pods, isOwnFirst: round % 2 === 0 })
      // The first round warms up.
      if (round > 0) samples[at]?.push(us)
    }
    const latest = samples.map((all) => (all.at(-1) ?? []).map(rounded).join('/'))
    options.progress(`binds: round ${round} of ${rounds}, ${latest.join(' ')} us`)
  }
  bare.close()
  return races.flatMap(({ name, rival, own }, at) => {
    const pairs = samples[at] ?? []
    const line = (label: string, us: readonly number[]) => ({
      bench: 'client',
      case: `${name}, ${IN_FLIGHT} in flight, ${label}`,
      unit: 'us' as const,
      ...summarize(us),
    })
    // By round: the load of the machine changes from round to round, and meets both of one.
    const { median: ratio } = summarize(pairs.map(([rivalUs, ownUs]) => rivalUs / ownUs))
    const rivalLine = line(
      rival[1],
      pairs.map(([us]) => us),
    )
    const ownLine = line(
      own[1],
      pairs.map(([, us]) => us),
    )
    return [rivalLine, { ...ownLine, against: rival[1], ratio }]
  })
}

/** One who writes in one way; closing it waits until everything is on the server. */
interface Writer extends AsyncDisposable {
  write(pod: Pod): Promise<void>
}

async function openWriter(server: RealApiServer, bare: BareCalls, way: Way, race: Race): Promise<Writer> {
  const { withEvents, isWatching } = race
  if (way === 'bare')
    return { write: (pod) => bindBare(bare, pod, withEvents), [Symbol.asyncDispose]: () => Promise.resolve() }
  const cluster = connect(server, way)
  const mirrored = isWatching ? [resourceRefs.pods, resourceRefs.nodes, resourceRefs.events] : []
  await Promise.all(mirrored.map((resource) => cluster.reflect(resource).waitForSync()))
  // The bare loop has its connections from the round before.
  await cluster.serverVersion()
  return {
    async write(pod) {
      const outcome = await cluster.client.bind(pod, nodeOf(pod))
      mustHold(outcome.kind === 'bound', `the bind of ${pod.metadata.name}: ${outcome.kind}`)
      if (withEvents) cluster.events.record({ ...eventOf(pod), regarding: referenceOf(pod) })
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

function connect(server: RealApiServer, by: 'h2' | 'h1'): Cluster {
  const clock = systemClock()
  const log = silentLogger
  const transport = connectTransport(server.access(), { log, clock, isHttp1Only: by === 'h1' })
  const cluster = connectCluster({
    handler: transport.handle,
    log,
    clock,
    random: Math.random,
    userAgent: 'bench/1',
    qps: 0,
  })
  return {
    ...cluster,
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]()
      await transport[Symbol.asyncDispose]()
    },
  }
}

/** @returns Microseconds of wall time for each pod, of the rival and of the own way. */
async function runRace(
  server: RealApiServer,
  cluster: Cluster,
  bare: BareCalls,
  race: Race,
  { pods, isOwnFirst }: { readonly pods: number; readonly isOwnFirst: boolean },
): Promise<readonly [rival: number, own: number]> {
  const sides = [race.rival[0], race.own[0]].map((way, side) => ({ way, made: new Array<Pod>(), side, us: 0 }))
  for (const { made, side } of sides)
    await inParallel(Array.from({ length: pods }).keys(), IN_FLIGHT, async (i) => {
      const pod: Pod = {
        metadata: { namespace: NAMESPACE, name: `bound-${side}-${i}` },
        spec: { containers: [{ name: 'main', image: 'none' }] },
      }
      made.push(await cluster.client.create(resourceRefs.pods, pod))
    })
  for (const runner of isOwnFirst ? sides.toReversed() : sides) {
    const writer = await openWriter(server, bare, runner.way, race)
    const startedAt = performance.now()
    await inParallel(runner.made, IN_FLIGHT, (pod) => writer.write(pod))
    await writer[Symbol.asyncDispose]()
    runner.us = ((performance.now() - startedAt) * 1000) / pods
  }
  await checkAndClear(
    cluster,
    sides.flatMap(({ made }) => made),
    race.withEvents,
  )
  return [sides[0]?.us ?? 0, sides[1]?.us ?? 0]
}

async function bindBare(bare: BareCalls, pod: Pod, withEvents: boolean): Promise<void> {
  const { name = '', uid } = pod.metadata
  const status = await bare.post(`/api/v1/namespaces/${NAMESPACE}/pods/${name}/binding`, {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { namespace: NAMESPACE, name, uid },
    target: { kind: 'Node', name: nodeOf(pod) },
  })
  mustHold(status === 201, `the bare bind of ${name}: ${status}`)
  if (!withEvents) return
  const written = await bare.post(`/apis/events.k8s.io/v1/namespaces/${NAMESPACE}/events`, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { namespace: NAMESPACE, name: `${name}.${uid}` },
    eventTime: new Date().toISOString().replace('Z', '000Z'),
    reportingController: 'bare',
    reportingInstance: 'bare',
    ...eventOf(pod),
    regarding: referenceOf(pod),
  })
  mustHold(written === 201, `the bare event of ${name}: ${written}`)
}

/** @throws WrongAnswerError unless every pod is on its node and has one event. */
async function checkAndClear(cluster: Cluster, made: readonly Pod[], withEvents: boolean): Promise<void> {
  const { client } = cluster
  const { items } = await client.list<Pod>(resourceRefs.pods, { namespace: NAMESPACE })
  const placed = items.filter((pod) => pod.spec.nodeName === nodeOf(pod)).length
  mustHold(placed === made.length, `${placed} of ${made.length} pods are on their nodes`)
  const events = await client.list(resourceRefs.events, { namespace: NAMESPACE })
  const wanted = withEvents ? made.length : 0
  mustHold(events.items.length === wanted, `${events.items.length} events instead of ${wanted}`)
  for (const plural of [
    '/api/v1/namespaces/default/pods?gracePeriodSeconds=0',
    '/apis/events.k8s.io/v1/namespaces/default/events',
  ]) {
    const { status, body } = await client.raw({ method: 'DELETE', path: plural, headers: {} })
    for await (const _ of body) continue
    mustHold(status === 200, `deleting ${plural}: ${status}`)
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
