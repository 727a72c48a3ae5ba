import { processMemory } from '@berth/e2e/real-api-server/process-memory'
import { type RealApiServer, startRealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { assertCorrect, type BenchOptions, type Measurement } from '../../measurement.ts'
import { summarize } from '../../statistics.ts'
import { type PodWatcher, watchPods } from '../watch-pods.ts'
import { type ClusterSize, seededCluster } from './seeded-cluster.ts'

const MIB = 1_048_576

/** A program whose memory is read now, after some work. */
export interface Scene {
  readonly pid: number | undefined
  /** The work so far: a clause for the name of the case, such as `1000 pods placed`. */
  readonly did: string
}

/** The cluster on which a program works. */
export interface MemorySetting {
  readonly server: RealApiServer
  readonly watcher: PodWatcher
  readonly size: ClusterSize
}

/** A program that mirrors the cluster, with the work that it does on a new one. */
export interface MeasuredProgram {
  readonly name: string
  readonly run: (setting: MemorySetting, onScene: (scene: Scene) => void) => Promise<void>
}

/** Measures the resident and the peak memory of programs, each on a new cluster. */
export async function measureMemory(
  programs: readonly MeasuredProgram[],
  size: ClusterSize,
  options: BenchOptions,
): Promise<readonly Measurement[]> {
  const lines: Measurement[] = []
  for (const { name, run } of programs) {
    await using server = await startRealApiServer()
    options.progress(`seeding for ${name}`)
    await server.seed(seededCluster(size))
    // The API server has read the cluster once before the program starts.
    await using watcher = await watchPods(server)
    await run({ server, watcher, size }, (scene) => lines.push(...measured(name, scene, size, options)))
  }
  return lines
}

function measured(
  name: string,
  { pid, did }: Scene,
  { nodes, bound, waiting }: ClusterSize,
  { progress }: BenchOptions,
): readonly Measurement[] {
  assertCorrect(pid !== undefined, `${name} did not start`)
  const { rss, peak } = processMemory(pid)
  const what = `${nodes} nodes, ${bound + waiting} pods, ${did}`
  progress(`${name}, ${what}: ${Math.round(rss / MIB)} MiB resident, peak ${Math.round(peak / MIB)} MiB`)
  return [
    { bench: 'memory', case: `${name}, resident: ${what}`, unit: 'B', ...summarize([rss]) },
    { bench: 'memory', case: `${name}, peak: ${what}`, unit: 'B', ...summarize([peak]) },
  ]
}
