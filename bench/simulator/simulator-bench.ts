import { forEachConcurrently, systemClock } from '@berth/clock'
import { connectCluster, resourceRefs } from '@berth/k8s-client'
import { startVirtualCluster } from '@berth/simulator/testing'
import { silentLogger, type Pod } from '@berth/types'
import { plainHttpClient } from '../client/plain-http-client.ts'
import { assertCorrect, type Bench, type BenchOptions, type Measurement } from '../measurement.ts'
import { summarize } from '../statistics.ts'

import { startSimulate, type SimulateProcess } from './simulate-process.ts'

const NODES = 5_000
const PODS = 10_000
const IN_FLIGHT = 32
const IDLE_NODES = 100
const IDLE_SECONDS = 1_000

const line = (name: string, unit: Measurement['unit'], samples: readonly number[]): Measurement => ({
  bench: 'simulator',
  case: name,
  unit,
  ...summarize(samples),
})

/** Waits at most 60 s until all pods run. Returns the number of pods that run then. */
async function runningPods({ access }: SimulateProcess): Promise<number> {
  await using cluster = connectCluster({
    access,
    log: silentLogger,
    clock: systemClock(),
    random: Math.random,
    userAgent: 'bench',
    qps: 0,
  })
  const endMs = performance.now() + 60_000
  for (;;) {
    const { items } = await cluster.client.list<Pod>(resourceRefs.pods)
    const running = items.filter(({ status }) => status?.phase === 'Running').length
    if (running === items.length || performance.now() > endMs) return running
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

async function benchStart({ isQuick, progress }: BenchOptions): Promise<readonly Measurement[]> {
  const samples: number[] = []
  for (let i = 0; i < (isQuick ? 2 : 7); i++) {
    await using small = await startSimulate(3, 0)
    samples.push(small.readyMs)
    progress(`start: ${Math.round(small.readyMs)} ms`)
  }
  return [line('process ready, 3 nodes', 'ms', samples)]
}

async function benchLoad({ isQuick, progress }: BenchOptions): Promise<readonly Measurement[]> {
  const ready: number[] = []
  const rss: number[] = []
  const peak: number[] = []
  for (let i = 0; i < (isQuick ? 1 : 3); i++) {
    await using big = await startSimulate(NODES, PODS)
    ready.push(big.readyMs)
    assertCorrect((await runningPods(big)) === PODS, `of ${PODS} pods, all run`)
    const memory = big.memory()
    rss.push(memory.rss)
    peak.push(memory.peak)
    progress(`load: ${Math.round(big.readyMs)} ms, ${Math.round(memory.rss / 2 ** 20)} MiB`)
  }
  const what = `${NODES} nodes and ${PODS} pods`
  return [
    line(`process ready, ${what}`, 'ms', ready),
    line(`resident memory, ${what}, all running`, 'B', rss),
    line(`resident memory at most, ${what}`, 'B', peak),
  ]
}

async function benchIdle({ isQuick, progress }: BenchOptions): Promise<readonly Measurement[]> {
  const samples: number[] = []
  for (let i = 0; i < (isQuick ? 2 : 7); i++) {
    await using cluster = await startVirtualCluster({ nodes: IDLE_NODES, schedulesPods: false })
    await cluster.clock.run(20_000)
    const before = cluster.apiServer.store.revision
    const startedMs = performance.now()
    await cluster.clock.run(IDLE_SECONDS * 1_000)
    samples.push(performance.now() - startedMs)
    const writes = cluster.apiServer.store.revision - before
    assertCorrect(writes >= (IDLE_NODES * IDLE_SECONDS) / 10, 'every lease is renewed every ten seconds')
    progress(`idle: ${Math.round(samples.at(-1) ?? 0)} ms, ${writes} writes`)
  }
  return [line(`${IDLE_SECONDS} idle simulated seconds, ${IDLE_NODES} nodes`, 'ms', samples)]
}

async function benchBinds({ isQuick, progress }: BenchOptions): Promise<readonly Measurement[]> {
  await using server = await startSimulate(10, 0)
  const calls = await plainHttpClient(server.access, IN_FLIGHT)
  const path = '/api/v1/namespaces/default/pods'
  const count = isQuick ? 500 : 2_000
  // The node has no kubelet, so only the server is timed.
  assertCorrect((await calls.post('/api/v1/nodes', { metadata: { name: 'idle' } })) === 201, 'the node is created')
  const samples: number[] = []
  for (let round = 0; round < (isQuick ? 2 : 8); round++) {
    const names = Array.from({ length: count }, (_, i) => `p-${round}-${i}`)
    const spec = { schedulerName: 'none', containers: [{ name: 'c', image: 'i' }] }
    await forEachConcurrently(names, IN_FLIGHT, async (name) => {
      assertCorrect((await calls.post(path, { metadata: { name }, spec })) === 201, `pod ${name} is created`)
    })
    const startedMs = performance.now()
    await forEachConcurrently(names, IN_FLIGHT, async (name) => {
      const body = { metadata: { name }, target: { kind: 'Node', name: 'idle' } }
      assertCorrect((await calls.post(`${path}/${name}/binding`, body)) === 201, `pod ${name} is bound`)
    })
    // The first round warms up.
    if (round > 0) samples.push(((performance.now() - startedMs) * 1_000) / count)
    progress(`binds: round ${round}, ${Math.round((count * 1_000) / (performance.now() - startedMs))} a second`)
  }
  calls.close()
  return [line(`bind over HTTPS, ${IN_FLIGHT} in flight`, 'us', samples)]
}

/** Measures the embedded cluster: its start, a big one's memory, idle virtual time, and binds over HTTPS. */
export const simulatorBench: Bench = {
  name: 'simulator',
  summary: 'the embedded cluster: start, 5,000 nodes, idle virtual time, binds over HTTPS',
  async run(options) {
    const lines: Measurement[] = []
    for (const bench of [benchIdle, benchBinds, benchStart, benchLoad]) lines.push(...(await bench(options)))
    return lines
  },
}
