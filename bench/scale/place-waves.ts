import { forEachConcurrently } from '@berth/clock'
import { connectQuietly } from '@berth/e2e/cluster/connect-with-kubeconfig'
import { resourceRefs } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { plainHttpClient } from '../client/plain-http-client.ts'
import { assertCorrect, type Measurement } from '../measurement.ts'
import { waitingPod } from '../scheduler/memory/seeded-cluster.ts'
import { observationsOf, usPerObservation } from '../unschedulable/scheduler-metrics.ts'
import { countWatch, type CountedWatch } from './count-bytes.ts'
import { line, type RunningParts } from './running-parts.ts'

const IN_FLIGHT = 32
const DECISIONS = 'scheduler_scheduling_algorithm_duration_seconds'
const MEMORY_BYTES = 2 ** 27

/** How many pods the scheduler places. */
export interface WaveSize {
  /** Waves of each kind of pods. */
  readonly waves: number
  readonly podsPerWave: number
}

/** The samples of one kind of pods, one of each wave. Times are microseconds. */
interface WaveSamples {
  readonly decision: number[]
  readonly placement: number[]
  readonly cpu: number[]
  readonly watchBytes: number[]
}

/** Creates pods in waves, waits until the scheduler has placed each wave, and measures decisions and the watch of pods. */
export async function placeWaves(
  parts: RunningParts,
  size: WaveSize,
  progress: (text: string) => void,
): Promise<readonly Measurement[]> {
  using watch = await countWatch(parts.cluster.access(), '/api/v1/pods')
  const kinds = [
    { name: 'shape seen before', memoryOf: () => '128Mi' },
    { name: 'shape never seen', memoryOf: (i: number) => String(MEMORY_BYTES + i) },
  ]
  const lines: Measurement[] = []
  for (const [kind, { name, memoryOf }] of kinds.entries()) {
    const samples: WaveSamples = { decision: [], placement: [], cpu: [], watchBytes: [] }
    // The first wave warms up.
    for (let wave = 0; wave <= size.waves; wave++) {
      const pods = Array.from({ length: size.podsPerWave }, (_, i) =>
        waitingPod(`wave-${kind}-${wave}-${i}`, memoryOf(wave * size.podsPerWave + i)),
      )
      const one = await placeWave(parts, watch, pods)
      progress(`${name}: ${Math.round(one.decision)} us a decision, ${Math.round(one.placement)} us a pod`)
      if (wave > 0)
        for (const key of ['decision', 'placement', 'cpu', 'watchBytes'] as const) samples[key].push(one[key])
    }
    lines.push(
      line(`decision, ${name}: wall time`, 'us', samples.decision),
      line(`create and place a pod, ${IN_FLIGHT} in flight, ${name}: wall time`, 'us', samples.placement),
      line(`everything about a placed pod, ${name}: CPU time of the scheduler`, 'us', samples.cpu),
      line(`watch of pods, for each placed pod, ${name}`, 'B', samples.watchBytes),
    )
  }
  await checkPlacement(parts, kinds.length * (size.waves + 1) * size.podsPerWave)
  return lines
}

async function placeWave(
  { cluster, scheduler, metrics, until }: RunningParts,
  watch: CountedWatch,
  pods: readonly Pod[],
): Promise<Readonly<Record<keyof WaveSamples, number>>> {
  const client = await plainHttpClient(cluster.access(), IN_FLIGHT)
  const before = { decisions: observationsOf(await metrics(), DECISIONS, ''), watch: watch.count() }
  const cpuMs = scheduler.cpuMs()
  const startedMs = performance.now()
  await forEachConcurrently(pods, IN_FLIGHT, async (pod) => {
    const status = await client.post('/api/v1/namespaces/default/pods', pod)
    assertCorrect(status === 201, `the creation of ${pod.metadata.name} was answered with ${status}`)
  })
  // One event when a pod is created, and one when it is bound. Asking for metrics meanwhile would cost the scheduler time.
  await until('the pods to be placed', () => watch.count().lines >= before.watch.lines + 2 * pods.length)
  const placement = ((performance.now() - startedMs) * 1_000) / pods.length
  const cpu = ((scheduler.cpuMs() - cpuMs) * 1_000) / pods.length
  client.close()
  return {
    placement,
    cpu,
    decision: usPerObservation(before.decisions, observationsOf(await metrics(), DECISIONS, '')),
    watchBytes: (watch.count().bytes - before.watch.bytes) / pods.length,
  }
}

/** Checks that each pod of the waves is on a node. */
async function checkPlacement({ cluster }: RunningParts, expected: number): Promise<void> {
  await using connected = connectQuietly({ access: cluster.access() })
  const { items } = await connected.client.list<Pod>(resourceRefs.pods, { fieldSelector: 'spec.schedulerName=race' })
  const placed = items.filter(({ spec }) => (spec.nodeName ?? '') !== '')
  assertCorrect(placed.length === expected, `${placed.length} of ${expected} pods have a node`)
}
