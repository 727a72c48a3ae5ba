import { connectCluster, resourceRefs, type Cluster } from '@berth/k8s-client'
import { realClock } from '@berth/k8s-client/testing'
import type { RealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { silentLogger, type ObjectReference, type Pod } from '@berth/types'
import { mustHold, type BenchOptions, type Measurement } from '../measurement.ts'
import { rounded, summarize } from '../statistics.ts'
import { bareCalls, inParallel, type BareCalls } from './bare-calls.ts'

const IN_FLIGHT = 32
const NAMESPACE = 'default'

type Way = 'bare' | 'berth'
interface Round {
  readonly way: Way
  readonly withEvents: boolean
}

const kinds: readonly Round[] = [
  { way: 'bare', withEvents: false },
  { way: 'berth', withEvents: false },
  { way: 'bare', withEvents: true },
  { way: 'berth', withEvents: true },
]

/** Binds fresh pods by a bare loop and by Berth's client in turns, and checks each bind and each event afterwards. */
export async function benchBinds(server: RealApiServer, options: BenchOptions): Promise<readonly Measurement[]> {
  const rounds = options.isQuick ? 2 : 7
  const pods = options.isQuick ? 100 : 300
  const bare = await bareCalls(server.access(), IN_FLIGHT)
  const samples = kinds.map(() => new Array<number>())
  await using cluster = connect(server)
  for (let round = 0; round <= rounds; round++) {
    // Who goes first changes from round to round; the first round warms up.
    for (let turn = 0; turn < kinds.length; turn++) {
      const at = (turn + round) % kinds.length
      const kind = kinds[at] ?? { way: 'bare', withEvents: false }
      const us = await runRound(server, cluster, bare, kind, pods)
      if (round > 0) samples[at]?.push(us)
    }
    options.progress(
      `binds: round ${round} of ${rounds}, ${samples.map((all) => rounded(all.at(-1) ?? 0)).join(' ')} us`,
    )
  }
  bare.close()
  return kinds.map(({ way, withEvents }, at) => {
    const summary = summarize(samples[at] ?? [])
    const name = `bind${withEvents ? ' and event' : ''}, ${IN_FLIGHT} in flight, ${way}`
    const measured = { bench: 'client', case: name, unit: 'us' as const, ...summary }
    if (way === 'bare') return measured
    // By round: the two run one after the other, and the load of the machine changes from round to round.
    const ratios = (samples[at - 1] ?? []).map((us, round) => us / (samples[at]?.[round] ?? us))
    return { ...measured, against: 'a bare keep-alive loop', ratio: summarize(ratios).median }
  })
}

function connect(server: RealApiServer): Cluster {
  return connectCluster({
    access: server.access(),
    log: silentLogger,
    clock: realClock(),
    random: Math.random,
    userAgent: 'bench/1',
    qps: 0,
  })
}

/** @returns Microseconds of wall time for each pod. */
async function runRound(
  server: RealApiServer,
  cluster: Cluster,
  bare: BareCalls,
  { way, withEvents }: Round,
  count: number,
): Promise<number> {
  const made: Pod[] = []
  await inParallel(Array.from({ length: count }).keys(), IN_FLIGHT, async (i) => {
    const pod: Pod = {
      metadata: { namespace: NAMESPACE, name: `bound-${i}` },
      spec: { containers: [{ name: 'main', image: 'none' }] },
    }
    made.push(await cluster.client.create(resourceRefs.pods, pod))
  })
  const writer = connect(server)
  const startedAt = performance.now()
  await inParallel(made, IN_FLIGHT, async (pod) => {
    if (way === 'bare') await bindBare(bare, pod, withEvents)
    else {
      const outcome = await writer.client.bind(pod, nodeOf(pod))
      mustHold(outcome.kind === 'bound', `the bind of ${pod.metadata.name}: ${outcome.kind}`)
      if (withEvents) writer.events.record({ ...eventOf(pod), regarding: referenceOf(pod) })
    }
  })
  // Closing writes what waits; an event counts when the server has it.
  await writer[Symbol.asyncDispose]()
  const us = ((performance.now() - startedAt) * 1000) / count
  await checkAndClear(cluster, made, withEvents)
  return us
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
