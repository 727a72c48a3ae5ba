import type { AllocateResponse, PreferredAllocationResponse } from '@berth/kubelet-api'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { assertCorrect, type Bench, type BenchOptions, type Measurement } from '../measurement.ts'
import { cpuMsOf } from '../scheduler/process-cpu.ts'
import { p99, summarize } from '../statistics.ts'
import { startPlugin, type PluginProcess } from './plugin-process.ts'

const DEVICES = 1_000
const SCANNED = 3_000
const SCAN_INTERVAL_SECONDS = 1
const MANY = 30_000

const line = (name: string, unit: Measurement['unit'], samples: readonly number[]): Measurement => ({
  bench: 'device-plugin',
  case: name,
  unit,
  ...summarize(samples),
})

const counted = (count: number): object => ({ name: 'example.com/seat', source: 'count', args: { count } })

function allocate({ client }: PluginProcess, ids: readonly string[]): Promise<AllocateResponse> {
  const containerRequests = [{ devicesIds: [...ids] }]
  return new Promise((resolve, reject) => {
    client.allocate({ containerRequests }, (error, response) => (error === null ? resolve(response) : reject(error)))
  })
}

async function benchAllocate({ isQuick, progress }: BenchOptions): Promise<readonly Measurement[]> {
  await using plugin = await startPlugin(counted(DEVICES))
  await setTimeout(isQuick ? 500 : 10_000)
  const atRest = await plugin.residentBytes()
  const times: number[] = []
  for (let i = 0; i < (isQuick ? 500 : 20_000); i++) {
    const id = `seat-${(i * 7) % DEVICES}`
    const startedMs = performance.now()
    const { containerResponses } = await allocate(plugin, [id])
    times.push((performance.now() - startedMs) * 1000)
    const given = containerResponses[0]?.envs['BERTH_DEVICES_EXAMPLE_COM_SEAT']
    assertCorrect(given === id, `Allocate of ${id} returns it, not ${given}`)
  }
  progress(`allocate: ${times.length} calls`)
  return [
    line('Allocate, 1000 devices', 'us', times),
    line('Allocate, 1000 devices, 99th percentile', 'us', [p99(times)]),
    line('resident memory at rest, 1000 devices', 'B', [atRest]),
    line(`resident memory after ${times.length} Allocate calls`, 'B', [await plugin.residentBytes()]),
  ]
}

async function benchScan({ isQuick, progress }: BenchOptions): Promise<readonly Measurement[]> {
  const directory = await mkdtemp(join(tmpdir(), 'dp-bench-paths-'))
  const name = (index: number): string => join(directory, `tty${String(index).padStart(4, '0')}`)
  try {
    for (let i = 0; i < SCANNED; i++) await writeFile(name(i), 'Healthy')
    const args = {
      paths: [`${directory}/tty*`],
      healthFile: `${directory}/{name}`,
      rescanSeconds: SCAN_INTERVAL_SECONDS,
    }
    await using plugin = await startPlugin({ name: 'example.com/port', source: 'path-glob', args })
    await plugin.untilList((ids) => ids.length === SCANNED)
    const rounds = isQuick ? 3 : 20
    // The first rounds also compile.
    await setTimeout(rounds * 500)
    const before = cpuMsOf(plugin.pid)
    await setTimeout(rounds * SCAN_INTERVAL_SECONDS * 1000)
    const perScan = (cpuMsOf(plugin.pid) - before) / rounds
    const changes: number[] = []
    for (let i = 0; i < (isQuick ? 2 : 10); i++) {
      const more = name(SCANNED + i)
      const [, waitedMs] = await Promise.all([
        writeFile(more, 'Healthy'),
        plugin.untilList((ids) => ids.length === SCANNED + i + 1),
      ])
      changes.push(waitedMs)
    }
    progress(`scan: ${perScan} ms of CPU a round`)
    return [
      line('CPU of one scan, 3000 unchanged paths with health files', 'ms', [perScan]),
      line('a new path to the list, 3000 paths', 'ms', changes),
      line('start to the first list, 3000 paths', 'ms', [plugin.firstListMs]),
    ]
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function benchPreferred({ isQuick, progress }: BenchOptions): Promise<readonly Measurement[]> {
  await using plugin = await startPlugin(counted(MANY))
  const { client } = plugin
  const available = Array.from({ length: MANY }, (_, i) => `seat-${i}`).toReversed()
  const waits: number[] = []
  for (let i = 0; i < (isQuick ? 2 : 10); i++) {
    const state = { isAnswered: false }
    const answer = new Promise<PreferredAllocationResponse>((resolve, reject) => {
      const request = { availableDeviceIDs: available, mustIncludeDeviceIDs: [], allocationSize: MANY / 2 }
      client.getPreferredAllocation({ containerRequests: [request] }, (error, response) =>
        error === null ? resolve(response) : reject(error),
      )
    }).finally(() => (state.isAnswered = true))
    let longestMs = 0
    while (!state.isAnswered) {
      const startedMs = performance.now()
      await new Promise<void>((resolve, reject) => {
        client.getDevicePluginOptions({}, (error) => (error === null ? resolve() : reject(error)))
      })
      longestMs = Math.max(longestMs, performance.now() - startedMs)
    }
    const chosen = (await answer).containerResponses[0]?.deviceIDs.length
    assertCorrect(chosen === MANY / 2, `a preferred allocation of ${MANY / 2} devices has ${chosen}`)
    waits.push(longestMs)
  }
  progress(`preferred allocation: ${waits.length} calls`)
  return [line('longest wait of another call during a preferred allocation, 30000 devices', 'ms', waits)]
}

async function benchStart({ isQuick, progress }: BenchOptions): Promise<readonly Measurement[]> {
  const samples: number[] = []
  for (let i = 0; i < (isQuick ? 2 : 10); i++) {
    await using plugin = await startPlugin(counted(4))
    samples.push(plugin.firstListMs)
  }
  progress(`start: ${samples.length} starts`)
  return [line('start to the first list', 'ms', samples)]
}

/** Measures the built device plugin in its own process. */
export const devicePluginBench: Bench = {
  name: 'device-plugin',
  summary: 'the built device plugin: start, changes, allocations, scans and memory',
  async run(options) {
    const measurements: Measurement[] = []
    for (const bench of [benchStart, benchAllocate, benchScan, benchPreferred])
      measurements.push(...(await bench(options)))
    return measurements
  },
}
