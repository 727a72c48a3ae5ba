import { createAuthority } from '@berth/e2e/real-scheduler/certificates'
import { startExtender } from '@berth/e2e/real-scheduler/extender-process'
import { largeCluster } from '@berth/e2e/real-api-server/large-cluster'
import { processMemory } from '@berth/e2e/real-api-server/process-memory'
import { startRealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import type { ExtenderFilterResult } from '@berth/types'
import { assertCorrect, type BenchOptions, type Measurement } from '../measurement.ts'
import { p99, summarize } from '../statistics.ts'
import { connectToExtender, nodesBody } from './extender-client.ts'

const ROUNDS = 5
const MIB = 1_048_576

/** Measures single calls over mutual TLS, and the memory of the extender, at 5,000 nodes with 50,000 pods. */
export async function benchLatency({ isQuick, progress }: BenchOptions): Promise<readonly Measurement[]> {
  const [nodes, pods, calls] = isQuick ? [500, 1_000, 20] : [5_000, 50_000, 200]
  await using server = await startRealApiServer()
  progress(`seeding ${nodes} nodes and ${pods} pods`)
  await server.seed(largeCluster(nodes, pods))
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
  using client = await connectToExtender(extender.port, authority.ca, await authority.issue('kube-scheduler'))
  const lines: Measurement[] = []
  for (const names of [500, 5_000].filter((count) => count <= nodes)) {
    const body = nodesBody(names)
    for (const verb of ['filter', 'prioritize'] as const) {
      const rounds: number[] = []
      for (let round = 0; round <= ROUNDS; round++) {
        const samples: number[] = []
        for (let i = 0; i < calls; i++) {
          const { ms, response } = await client.call(verb, body)
          checkAnswer(verb, response, names)
          samples.push(ms)
        }
        // The first round warms up.
        if (round > 0) rounds.push(p99(samples))
      }
      lines.push({
        bench: 'extender',
        case: `${verb}, ${names} names: p99 of ${calls} calls`,
        unit: 'ms',
        ...summarize(rounds),
      })
      progress(`${verb} with ${names} names: p99 ${summarize(rounds).median} ms`)
    }
  }
  const { rss, peak } = processMemory(extender.pid)
  progress(`resident memory ${Math.round(rss / MIB)} MiB, peak ${Math.round(peak / MIB)} MiB`)
  const what = `${nodes} nodes and ${pods} pods`
  lines.push({ bench: 'extender', case: `resident memory, ${what}`, unit: 'B', ...summarize([rss]) })
  lines.push({ bench: 'extender', case: `peak memory, ${what}`, unit: 'B', ...summarize([peak]) })
  return lines
}

function checkAnswer(verb: 'filter' | 'prioritize', response: unknown, names: number): void {
  const { Error, NodeNames, FailedNodes } = response as ExtenderFilterResult
  const count =
    verb === 'filter'
      ? (NodeNames?.length ?? 0) + Object.keys(FailedNodes ?? {}).length
      : (response as readonly unknown[]).length
  assertCorrect((Error ?? '') === '' && count === names, `${verb} judged ${count} of ${names} nodes: ${Error}`)
}
