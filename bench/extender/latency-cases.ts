import { createAuthority } from '@berth/e2e/real-scheduler/certificates'
import { startExtender } from '@berth/e2e/real-scheduler/extender-process'
import { largeCluster, toStoredObject } from '@berth/e2e/real-api-server/large-cluster'
import { processMemory } from '@berth/e2e/real-api-server/process-memory'
import { startRealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { startProgram } from '@berth/process/testing'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchOptions, Measurement } from '../measurement.ts'
import { nodeName, racePod } from '../scheduler/race-cluster.ts'
import { p99, summarize } from '../statistics.ts'
import { type LatencyPlan, timesMessage } from './latency-plan.ts'

const ROUNDS = 5
const MIB = 1_048_576
/**
 * The client collects no garbage during a round: kube-scheduler's collector does not stop its callers for milliseconds, and a
 * pause of the client would count as one of the extender.
 */
const CLIENT_FLAGS = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64']

/** Measures single calls over mutual TLS, and the memory of the extender, at 5,000 nodes with 50,000 pods. */
export async function benchLatency({ isQuick, progress }: BenchOptions): Promise<readonly Measurement[]> {
  const [nodes, pods, calls] = isQuick ? [500, 1_000, 20] : [5_000, 50_000, 200]
  await using server = await startRealApiServer()
  progress(`seeding ${nodes} nodes and ${pods} pods`)
  await server.seed(cluster(nodes, pods))
  const authority = await createAuthority()
  await using extender = await startExtender({
    dir: server.dir,
    name: 'latency',
    kubeconfig: server.kubeconfig(),
    server: await authority.issue('extender'),
    ca: authority.ca,
    config: { bind: true },
    isBuilt: true,
  })
  const namesPerCall = [500, 5_000].filter((count) => count <= nodes)
  const plan: LatencyPlan = {
    port: extender.port,
    ca: authority.ca,
    caller: await authority.issue('kube-scheduler'),
    namesPerCall,
    // The first round warms up.
    rounds: ROUNDS + 1,
    callsPerRound: calls,
  }
  const planFile = join(server.dir, 'latency-plan.json')
  writeFileSync(planFile, JSON.stringify(plan), { mode: 0o600 })
  const client = startProgram(join(import.meta.dirname, 'latency-client-main.ts'), [planFile], {
    nodeFlags: CLIENT_FLAGS,
  })
  const lines: Measurement[] = []
  for (const names of namesPerCall) {
    for (const verb of ['filter', 'prioritize']) {
      const { times } = await client.line(timesMessage(verb, names))
      const rounds = (times as readonly (readonly number[])[]).slice(1).map(p99)
      lines.push({
        bench: 'extender',
        case: `${verb}, ${names} names: p99 of ${calls} calls`,
        unit: 'ms',
        ...summarize(rounds),
      })
      progress(`${verb} with ${names} names: p99 ${summarize(rounds).median} ms`)
    }
  }
  await client.ended
  const { rss, peak } = processMemory(extender.pid)
  progress(`resident memory ${Math.round(rss / MIB)} MiB, peak ${Math.round(peak / MIB)} MiB`)
  const what = `${nodes} nodes and ${pods} pods`
  lines.push({ bench: 'extender', case: `resident memory, ${what}`, unit: 'B', ...summarize([rss]) })
  lines.push({ bench: 'extender', case: `peak memory, ${what}`, unit: 'B', ...summarize([peak]) })
  return lines
}

/**
 * The first node has a larger load than the others: a prioritize response lists the nodes only when their scores differ.
 *
 * @yields As {@link largeCluster}.
 */
function* cluster(nodes: number, pods: number): Generator<readonly [string, unknown]> {
  yield* largeCluster(nodes, pods)
  const busy = racePod('busy', { cpu: '32', memory: '128Gi' }, { nodeName: nodeName(0) })
  yield ['pods/default/busy', toStoredObject('Pod', busy)]
}
