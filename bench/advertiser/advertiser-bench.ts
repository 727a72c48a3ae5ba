import { stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { processMemory } from '@berth/e2e/real-api-server/process-memory'
import { startRealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { type ApiClient, resourceRefs } from '@berth/k8s-client'
import type { Node } from '@berth/types'
import { connectClient } from '../connect-client.ts'
import { requireBinaries } from '../extender/extender-bench.ts'
import { assertCorrect, type Bench, type BenchOptions, type Measurement } from '../measurement.ts'
import { cpuMsOf, pidOf } from '../scheduler/process-cpu.ts'
import { summarize } from '../statistics.ts'
import { sumOf } from '../unschedulable/scheduler-metrics.ts'
import { MAIN, startAdvertiser, type AdvertiserProcess } from './advertiser-process.ts'
import { kubeletNodes, nodeName } from './kubelet-node.ts'

const SEAT = 'example.com/seat'
const UNITS = '4'
const MIB = 1_048_576
const MIN_NODE_BYTES = 10_240
/** Share of the nodes on which another writer changes the value within a minute. */
const DRIFT_PER_MINUTE = 0.01
/** A kubelet without changes reports its status every five minutes. */
const HEARTBEAT_PERIOD_MS = 300_000
const LIMIT_MS = 120_000
const FLOOR_IN_FLIGHT = 16
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE', 'APPLY']

function line(name: string, unit: Measurement['unit'], samples: readonly number[]): Measurement {
  return { bench: 'advertiser', case: name, unit, ...summarize(samples) }
}

/** Measures the built advertiser on a real API server. */
export const advertiserBench: Bench = {
  name: 'advertiser',
  summary: 'the built advertiser on a real API server: 5,000 nodes from nothing, CPU and writes at rest, drift, memory',
  async run(options) {
    requireBinaries()
    const count = options.isQuick ? 200 : 5_000
    const lines: Measurement[] = [line('size of the bundle', 'B', [(await stat(MAIN)).size])]
    await using server = await startRealApiServer({ isDurable: true })
    await server.seed(kubeletNodes(count))
    await using connected = connectClient(server)
    const { client } = connected.cluster
    // The API server has read the nodes once before the advertiser starts.
    const seeded = await client.list<Node>(resourceRefs.nodes)
    assertCorrect(seeded.items.length === count, `${seeded.items.length} of ${count} nodes were created`)
    const smallest = Math.min(...seeded.items.map((node) => JSON.stringify(node).length))
    assertCorrect(smallest >= MIN_NODE_BYTES, `a node has ${smallest} bytes`)

    const serverCpuMs = cpuMsOf(pidOf('kube-apiserver', String(server.port)))
    const startedMs = performance.now()
    const resources = [{ name: SEAT, units: Number(UNITS), nodes: { selector: {} } }]
    await using advertiser = await startAdvertiser(server, resources)
    await advertiser.ready()
    const writtenMs = performance.now() - startedMs
    const serverMs = cpuMsOf(pidOf('kube-apiserver', String(server.port))) - serverCpuMs
    const ownMs = cpuMsOf(advertiser.pid)
    await checkNodes(client, count)
    options.progress(
      `${count} nodes from nothing: ${Math.round(writtenMs)} ms, CPU ${ownMs} ms, of the API server ${serverMs} ms`,
    )
    lines.push(line(`${count} nodes from nothing, including the start of the process`, 'ms', [writtenMs]))
    lines.push(line('CPU time for that', 'ms', [ownMs]), line('CPU time of the API server for that', 'ms', [serverMs]))
    lines.push(...memoryLines(advertiser, `after ${count} nodes from nothing`, options))

    await untilEventsAreWritten(client)
    lines.push(await benchRest(client, advertiser, options))
    lines.push(...(await benchDrift(client, count, options)))
    lines.push(await benchHeartbeats(client, advertiser, { ...options, count }))
    await checkNodes(client, count)
    lines.push(...memoryLines(advertiser, 'at the end', options))
    await advertiser[Symbol.asyncDispose]()
    lines.push(await benchFloor(client, count, options))
    return lines
  },
}

/** Measures CPU time while nothing changes, and checks that nothing is written. */
async function benchRest(
  client: ApiClient,
  { pid }: AdvertiserProcess,
  { isQuick, progress }: BenchOptions,
): Promise<Measurement> {
  const idleMs = isQuick ? 5_000 : 30_000
  const writesBefore = await writesOf(client)
  const cpuBefore = cpuMsOf(pid)
  await pause(idleMs)
  const cpuPerSecond = ((cpuMsOf(pid) - cpuBefore) / idleMs) * 1000
  const writes = (await writesOf(client)) - writesBefore
  assertCorrect(writes === 0, `the advertiser wrote ${writes} times at rest`)
  progress(`at rest: ${cpuPerSecond} ms of CPU a second, no write`)
  return line('CPU per second at rest, without a write', 'ms', [cpuPerSecond])
}

/** Measures from the answer to another writer's patch to the node with the declared amount. */
async function benchDrift(
  client: ApiClient,
  count: number,
  { isQuick, progress }: BenchOptions,
): Promise<Measurement[]> {
  const drifts = isQuick ? 5 : Math.round(count * DRIFT_PER_MINUTE)
  const everyMs = isQuick ? 100 : 60_000 / drifts
  const waits: number[] = []
  for (let i = 0; i < drifts; i++) {
    const name = nodeName((i * 97) % count)
    const wrong = { capacity: { [SEAT]: String(i % 3) }, allocatable: { [SEAT]: String(i % 3) } }
    await client.patchNodeStatus(name, { status: wrong }, { fieldManager: 'other-writer' })
    const changedMs = performance.now()
    while (!isAdvertised(await client.get<Node>(resourceRefs.nodes, { name }))) {
      assertCorrect(performance.now() - changedMs < LIMIT_MS, `the drift of ${name} is not repaired`)
      await pause(2)
    }
    waits.push(performance.now() - changedMs)
    await pause(Math.max(0, everyMs - (performance.now() - changedMs)))
  }
  progress(`drift: ${drifts} repairs, the slowest in ${Math.round(Math.max(...waits))} ms`)
  return [line('repair of a value that another writer changed, 1 % of the nodes a minute', 'ms', waits)]
}

/** Measures CPU time while every kubelet reports its status, which changes nothing of the resource. */
async function benchHeartbeats(
  client: ApiClient,
  { pid }: AdvertiserProcess,
  { isQuick, progress, count }: BenchOptions & { readonly count: number },
): Promise<Measurement> {
  const durationMs = isQuick ? 2_000 : 20_000
  const everyMs = HEARTBEAT_PERIOD_MS / count
  const startMs = performance.now()
  const cpuBefore = cpuMsOf(pid)
  for (let i = 0; i * everyMs < durationMs; i++) {
    const lastHeartbeatTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
    const conditions = [{ type: 'Ready', lastHeartbeatTime }]
    const options = { type: 'strategic', subresource: 'status', fieldManager: 'kubelet' } as const
    await client.patch(resourceRefs.nodes, { name: nodeName(i % count) }, { status: { conditions } }, options)
    await pause(Math.max(0, startMs + (i + 1) * everyMs - performance.now()))
  }
  const cpuPerSecond = ((cpuMsOf(pid) - cpuBefore) / (performance.now() - startMs)) * 1000
  progress(`heartbeats: ${cpuPerSecond} ms of CPU a second`)
  return line(`CPU per second with a heartbeat of each of ${count} nodes every five minutes`, 'ms', [cpuPerSecond])
}

/** Measures the same writes without an advertiser: no watch, no plan, no event. */
async function benchFloor(client: ApiClient, count: number, { progress }: BenchOptions): Promise<Measurement> {
  const amounts = { 'example.com/floor': UNITS }
  const patch = { status: { capacity: amounts, allocatable: amounts } }
  const startedMs = performance.now()
  const names = Iterator.from(Array.from({ length: count }, (_, i) => nodeName(i)))
  const worker = async (): Promise<void> => {
    for (const name of names) await client.patchNodeStatus(name, patch, { fieldManager: 'floor' })
  }
  await Promise.all(Array.from({ length: FLOOR_IN_FLIGHT }, worker))
  const elapsedMs = performance.now() - startedMs
  progress(`${count} patches by a bare client: ${Math.round(elapsedMs)} ms`)
  return line(`${count} patches by a bare client, ${FLOOR_IN_FLIGHT} in flight`, 'ms', [elapsedMs])
}

function memoryLines({ pid }: AdvertiserProcess, when: string, { progress }: BenchOptions): readonly Measurement[] {
  const { rss, peak, anonymous } = processMemory(pid)
  const inMib = (bytes: number): number => Math.round((bytes / MIB) * 10) / 10
  progress(`${when}: ${inMib(rss)} MiB resident, ${inMib(anonymous)} MiB anonymous, peak ${inMib(peak)} MiB`)
  return [
    line(`resident memory ${when}`, 'B', [rss]),
    line(`anonymous memory ${when}`, 'B', [anonymous]),
    line(`peak memory ${when}`, 'B', [peak]),
  ]
}

/** Checks that every node offers the declared amount. The list is newer than the last write. */
async function checkNodes(client: ApiClient, count: number): Promise<void> {
  const { items } = await client.list<Node>(resourceRefs.nodes)
  const advertised = items.filter(isAdvertised).length
  assertCorrect(advertised === count, `${advertised} of ${count} nodes offer ${UNITS} ${SEAT}`)
}

function isAdvertised({ status }: Node): boolean {
  return status?.capacity?.[SEAT] === UNITS && status.allocatable?.[SEAT] === UNITS
}

/** Events are written more slowly than nodes. */
async function untilEventsAreWritten(client: ApiClient): Promise<void> {
  const deadlineMs = performance.now() + LIMIT_MS
  for (let before = -1, now = await writesOf(client); now !== before;) {
    assertCorrect(performance.now() < deadlineMs, 'the advertiser does not come to rest')
    await pause(3_000)
    before = now
    now = await writesOf(client)
  }
}

/** Returns the number of writes to the API server so far, without Leases, which are renewed at rest too. */
async function writesOf(client: ApiClient): Promise<number> {
  const { status, body } = await client.raw({ method: 'GET', path: '/metrics', headers: {} })
  assertCorrect(status === 200, `the API server's metrics answer ${status}`)
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  const metrics = Buffer.concat(chunks)
    .toString()
    .split('\n')
    .filter((text) => !text.includes('resource="leases"'))
    .join('\n')
  return WRITES.reduce((sum, verb) => sum + sumOf(metrics, 'apiserver_request_total', `verb="${verb}"`), 0)
}
