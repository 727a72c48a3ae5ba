import { processMemory } from '@berth/e2e/real-api-server/process-memory'
import { assertCorrect, type Bench, type BenchOptions, type Measurement } from '../measurement.ts'
import type { ContenderProcess } from '../scheduler/contender.ts'
import { startRunner } from '../scheduler/start-runner.ts'
import { freePort } from '../unschedulable/free-port.ts'
import { beatNodes } from './beat-nodes.ts'
import { countBody } from './count-bytes.ts'
import { placeWaves, type WaveSize } from './place-waves.ts'
import { line, runningParts } from './running-parts.ts'
import { startCluster } from './start-cluster.ts'

const MIB = 1_048_576

/** The size of a run. */
interface ScaleSize extends WaveSize {
  readonly nodes: number
  /** Pods that are bound from the start. */
  readonly pods: number
  /** Nodes whose status changes. */
  readonly heartbeats: number
}

async function measure(size: ScaleSize, { progress }: BenchOptions): Promise<readonly Measurement[]> {
  const { nodes, pods } = size
  const what = `${nodes} nodes and ${pods} pods`
  await using cluster = await startCluster(nodes, pods)
  const { rss } = cluster.memory()
  progress(`${what} after ${Math.round(cluster.readyMs)} ms, ${Math.round(rss / MIB)} MiB`)
  const lines = [
    line(`API server ready, ${what}`, 'ms', [cluster.readyMs]),
    line(`API server, resident, ${what}`, 'B', [rss]),
  ]
  const healthAddress = `127.0.0.1:${await freePort()}`
  const url = `http://${healthAddress}`
  const startedMs = performance.now()
  await using scheduler = startRunner('berth', cluster, { healthAddress })
  const parts = runningParts(cluster, scheduler, url)
  await parts.until('the scheduler to be ready', () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  lines.push(line(`scheduler, from its start until it mirrors ${what}`, 'ms', [performance.now() - startedMs]))
  lines.push(...memoryOf(scheduler, 'after the first lists'))
  progress('reading the lists')
  for (const kind of ['nodes', 'pods']) {
    const { bytes } = await countBody(cluster.access(), `/api/v1/${kind}`)
    lines.push(line(`list of all ${kind}, body`, 'B', [bytes]))
  }
  lines.push(...(await placeWaves(parts, size, progress)), ...(await beatNodes(parts, size.heartbeats)))
  return [...lines, ...memoryOf(scheduler, 'at the end'), line('API server, peak', 'B', [cluster.memory().peak])]
}

function memoryOf({ pid }: ContenderProcess, when: string): readonly Measurement[] {
  assertCorrect(pid !== undefined, 'the scheduler started')
  const { rss, peak } = processMemory(pid)
  return [line(`scheduler, resident, ${when}`, 'B', [rss]), line(`scheduler, peak, ${when}`, 'B', [peak])]
}

/** Measures the scheduler and the embedded API server with ten times the nodes that Kubernetes supports. */
export const scaleBench: Bench = {
  name: 'scale',
  summary: 'the scheduler on the embedded cluster with 50,000 nodes and 500,000 pods: memory, decisions, watches',
  run: (options) =>
    measure(
      options.isQuick
        ? { nodes: 500, pods: 5_000, waves: 2, podsPerWave: 50, heartbeats: 50 }
        : { nodes: 50_000, pods: 500_000, waves: 7, podsPerWave: 500, heartbeats: 2_000 },
      options,
    ),
}
