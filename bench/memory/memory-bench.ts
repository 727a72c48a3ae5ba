import { createAuthority } from '@berth/e2e/real-scheduler/certificates'
import { startExtender } from '@berth/e2e/real-scheduler/extender-process'
import { startKubeScheduler } from '@berth/e2e/real-scheduler/kube-scheduler'
import { processMemory } from '@berth/e2e/real-api-server/process-memory'
import { startRealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { requireBinaries } from '../extender/extender-bench.ts'
import { connectToExtender, nodesBody } from '../extender/extender-client.ts'
import { assertCorrect, type Bench, type BenchOptions, type Measurement } from '../measurement.ts'
import { SCHEDULER_NAME } from '../scheduler/race-cluster.ts'
import { watchPods } from '../scheduler/watch-pods.ts'
import { summarize } from '../statistics.ts'
import { seededCluster, type ClusterSize } from './seeded-cluster.ts'
import { startAdvertiser, startScheduler } from './start-programs.ts'
import { untilAdvertised, untilBound } from './until-done.ts'

const MIB = 1_048_576
/** Nearly as much as the extender accepts in one body. {@link LARGE_BODIES} is the number that it accepts at once. */
const LARGE_BODY_BYTES = 15 * MIB
const LARGE_BODIES = 4

/** A program whose memory is read now, after some work. */
interface Scene {
  readonly pid: number | undefined
  /** The work so far: a clause for the name of the case, such as `1000 pods placed`. */
  readonly did: string
}

type Server = Awaited<ReturnType<typeof startRealApiServer>>

/** The programs that mirror the cluster, each with the work that it does on a new cluster. */
const programs: readonly {
  readonly name: string
  readonly run: (server: Server, size: ClusterSize, onScene: (scene: Scene) => void) => Promise<void>
}[] = [
  {
    name: 'scheduler',
    run: async (server, size, onScene) => {
      const scheduler = startScheduler(server)
      await untilBound(server, size, scheduler)
      onScene({ pid: scheduler.pid, did: `${size.waiting} pods placed` })
      await scheduler.kill()
    },
  },
  {
    name: 'kube-scheduler',
    run: async (server, size, onScene) => {
      const config = { profiles: [{ schedulerName: SCHEDULER_NAME }] }
      const scheduler = startKubeScheduler({ dir: server.dir, kubeconfig: server.kubeconfig(), config })
      await untilBound(server, size, scheduler)
      onScene({ pid: scheduler.pid, did: `${size.waiting} pods placed` })
      await scheduler.kill()
    },
  },
  {
    name: 'advertiser',
    run: async (server, size, onScene) => {
      const advertiser = startAdvertiser(server)
      await untilAdvertised(server, size, advertiser)
      onScene({ pid: advertiser.pid, did: 'every node written' })
      await advertiser.kill()
    },
  },
  {
    name: 'extender',
    run: async (server, { nodes }, onScene) => {
      const authority = await createAuthority()
      await using extender = await startExtender({
        dir: server.dir,
        name: 'memory',
        kubeconfig: server.kubeconfig(),
        server: await authority.issue('extender'),
        ca: authority.ca,
        config: { bind: true },
        isBuilt: true,
      })
      using client = await connectToExtender(extender.port, authority.ca, await authority.issue('kube-scheduler'))
      const call = async (body: string): Promise<void> => {
        const { response } = await client.call('filter', body)
        const { Error: error = '' } = response as { readonly Error?: string }
        assertCorrect(error === '', `a filter call was refused: ${error}`)
      }
      const body = nodesBody(nodes)
      for (let i = 0; i < 200; i++) await call(body)
      onScene({ pid: extender.pid, did: `200 calls with ${nodes} names` })
      const large = body.replace(
        '"metadata":{',
        `"metadata":{"annotations":{"note":"${'x'.repeat(LARGE_BODY_BYTES)}"},`,
      )
      for (let i = 0; i < 5; i++) await Promise.all(Array.from({ length: LARGE_BODIES }, () => call(large)))
      onScene({ pid: extender.pid, did: `${LARGE_BODIES} bodies of 15 MiB at once, five times` })
    },
  },
]

/** Measures the memory from which the chart's limits are derived. */
export const memoryBench: Bench = {
  name: 'memory',
  summary: 'resident and peak memory of each program that mirrors the cluster, and of kube-scheduler',
  async run(options) {
    requireBinaries()
    const size = options.isQuick
      ? { nodes: 200, bound: 1_000, waiting: 100 }
      : { nodes: 5_000, bound: 48_000, waiting: 2_000 }
    const lines: Measurement[] = []
    for (const { name, run } of programs) {
      await using server = await startRealApiServer()
      options.progress(`seeding for ${name}`)
      await server.seed(seededCluster(size))
      // The API server has read the cluster once before the program starts.
      await using _watcher = await watchPods(server)
      await run(server, size, (scene) => lines.push(...measured(name, scene, size, options)))
    }
    return lines
  },
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
