import { createAuthority } from '@berth/e2e/real-scheduler/certificates'
import { startExtender } from '@berth/e2e/real-scheduler/extender-process'
import type { ServerProcess } from '@berth/e2e/real-api-server/server-process'
import { type ApiClient, resourceRefs } from '@berth/k8s-client'
import type { Node } from '@berth/types'
import { requireBinaries } from '../extender/extender-bench.ts'
import { connectToExtender, type ExtenderClient, nodesBody } from '../extender/extender-client.ts'
import { assertCorrect, type Bench } from '../measurement.ts'
import { measureMemory, type MeasuredProgram } from '../scheduler/memory/measure-memory.ts'
import { schedulerProgram } from '../scheduler/memory/scheduler-programs.ts'
import type { ClusterSize } from '../scheduler/memory/seeded-cluster.ts'
import { until } from '../scheduler/memory/until.ts'
import { SEAT, startAdvertiser } from './start-advertiser.ts'

/**
 * Nearly as much as the extender accepts in one body, and on one connection. {@link LARGE_BODIES} is the number that it
 * accepts at once.
 */
const LARGE_BODY_BYTES = 15 * 1_048_576
const LARGE_BODIES = 4

/** The programs that mirror the cluster, each with the work that it does on a new cluster. */
const programs: readonly MeasuredProgram[] = [
  schedulerProgram('scheduler', 'berth'),
  schedulerProgram('kube-scheduler', 'kube-scheduler'),
  {
    name: 'advertiser',
    run: async ({ server, watcher, size }, onScene) => {
      const advertiser = startAdvertiser(server)
      await untilAdvertised(watcher.cluster.client, size, advertiser)
      onScene({ pid: advertiser.pid, did: 'every node written' })
      await advertiser.kill()
    },
  },
  {
    name: 'extender',
    run: async ({ server, size: { nodes } }, onScene) => {
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
      const caller = await authority.issue('kube-scheduler')
      using clients = new DisposableStack()
      const connect = async (): Promise<ExtenderClient> =>
        clients.use(await connectToExtender(extender.port, authority.ca, caller))
      const call = async (client: ExtenderClient, body: string): Promise<void> => {
        const { response } = await client.call('filter', body)
        const { Error: error = '' } = response as { readonly Error?: string }
        assertCorrect(error === '', `a filter call was refused: ${error}`)
      }
      const body = nodesBody(nodes)
      const client = await connect()
      for (let i = 0; i < 200; i++) await call(client, body)
      onScene({ pid: extender.pid, did: `200 calls with ${nodes} names` })
      const large = body.replace(
        '"metadata":{',
        `"metadata":{"annotations":{"note":"${'x'.repeat(LARGE_BODY_BYTES)}"},`,
      )
      const each = await Promise.all(Array.from({ length: LARGE_BODIES }, connect))
      for (let i = 0; i < 5; i++) await Promise.all(each.map((connection) => call(connection, large)))
      onScene({ pid: extender.pid, did: `${LARGE_BODIES} bodies of 15 MiB at once, five times` })
    },
  },
]

/** Waits until every node offers the advertised resource. */
function untilAdvertised(client: ApiClient, { nodes }: ClusterSize, by: ServerProcess): Promise<void> {
  return until(by, async () => {
    const { items } = await client.list<Node>(resourceRefs.nodes)
    return items.length === nodes && items.every(({ status }) => status?.allocatable?.[SEAT] === '4')
  })
}

/** Measures the memory from which the chart's limits are derived. */
export const memoryBench: Bench = {
  name: 'memory',
  summary: 'resident and peak memory of each program that mirrors the cluster, and of kube-scheduler',
  async run(options) {
    requireBinaries()
    const size = options.isQuick
      ? { nodes: 200, bound: 1_000, waiting: 100 }
      : { nodes: 5_000, bound: 48_000, waiting: 2_000 }
    return await measureMemory(programs, size, options)
  },
}
