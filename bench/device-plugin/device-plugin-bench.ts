import type { AllocateResponse, PreferredAllocationResponse } from '@berth/kubelet-api'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { assertCorrect, type Bench, type BenchOptions, type Measurement } from '../measurement.ts'
import { cpuMsOf } from '../scheduler/process-cpu.ts'
import { p99, summarize } from '../statistics.ts'
import { MAIN, startPlugin, startSamplePlugin, type PluginProcess } from './plugin-process.ts'

const DEVICES = 1_000
const SCANNED = 3_000
const SCAN_INTERVAL_SECONDS = 1
const MANY = 30_000
const SAMPLE_PACKAGE = 'k8s.io/kubernetes/test/images/sample-device-plugin'

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

/** Starts a plugin under test. */
interface Contender {
  readonly name: string
  readonly deviceIds: readonly string[]
  readonly start: () => Promise<PluginProcess>
  /** Returns whether a response gives the container the device. */
  readonly isGiven: (response: AllocateResponse, id: string) => boolean
}

const berth: Contender = {
  name: `berth, ${DEVICES} devices`,
  deviceIds: Array.from({ length: DEVICES }, (_, i) => `seat-${i}`),
  start: () => startPlugin(counted(DEVICES)),
  isGiven: ({ containerResponses: [first] }, id) => first?.envs['BERTH_DEVICES_EXAMPLE_COM_SEAT'] === id,
}

/** Returns upstream's sample-device-plugin, built from its Go module; undefined without Go. */
function sampleContender(directory: string, { progress }: BenchOptions): Contender | undefined {
  const program = join(directory, 'sample-device-plugin')
  const args = ['build', '-trimpath', '-ldflags=-s -w', '-o', program, SAMPLE_PACKAGE]
  const cwd = join(import.meta.dirname, '..', '..', 'e2e', 'node-image', 'modules', 'kubernetes')
  const env = { ...process.env, CGO_ENABLED: '0' }
  const { status, error, stderr } = spawnSync('go', args, { cwd, env, encoding: 'utf8' })
  if (status !== 0) {
    progress(`skipping sample-device-plugin: ${error?.message ?? stderr.trim()}`)
    return undefined
  }
  return {
    name: 'sample-device-plugin, 2 devices',
    deviceIds: ['Dev-1', 'Dev-2'],
    start: () => startSamplePlugin(program),
    isGiven: ({ containerResponses: [first] }, id) => first?.mounts[0]?.hostPath === `/tmp/${id}`,
  }
}

async function benchAllocate(contender: Contender, options: BenchOptions): Promise<readonly Measurement[]> {
  const { isQuick, progress } = options
  const { name, deviceIds, isGiven } = contender
  await using plugin = await contender.start()
  await setTimeout(isQuick ? 500 : 10_000)
  const atRest = await plugin.memory()
  const idleMs = isQuick ? 1_000 : 60_000
  const cpuBefore = cpuMsOf(plugin.pid)
  await setTimeout(idleMs)
  const cpuPerSecond = ((cpuMsOf(plugin.pid) - cpuBefore) / idleMs) * 1000
  const times: number[] = []
  for (let i = 0; i < (isQuick ? 500 : 20_000); i++) {
    const id = deviceIds[(i * 7) % deviceIds.length] ?? ''
    const startedMs = performance.now()
    const response = await allocate(plugin, [id])
    times.push((performance.now() - startedMs) * 1000)
    assertCorrect(isGiven(response, id), `Allocate of ${id} returns it, not ${JSON.stringify(response)}`)
  }
  const after = await plugin.memory()
  progress(`allocate: ${times.length} calls of ${name}`)
  return [
    line(`Allocate, ${name}`, 'us', times),
    line(`Allocate, 99th percentile, ${name}`, 'us', [p99(times)]),
    line(`CPU per second at rest, ${name}`, 'ms', [cpuPerSecond]),
    line(`resident memory at rest, ${name}`, 'B', [atRest.resident]),
    line(`anonymous memory at rest, ${name}`, 'B', [atRest.anonymous]),
    line(`resident memory after ${times.length} Allocate calls, ${name}`, 'B', [after.resident]),
    line(`anonymous memory after ${times.length} Allocate calls, ${name}`, 'B', [after.anonymous]),
  ]
}

/** Measures from the write of a health file to the list that has the change. */
async function benchChange({ isQuick, progress }: BenchOptions): Promise<readonly Measurement[]> {
  const directory = await mkdtemp(join(tmpdir(), 'dp-bench-health-'))
  const healthFile = join(directory, 'health')
  try {
    await writeFile(healthFile, 'Healthy')
    const args = { count: DEVICES, healthFile }
    await using plugin = await startPlugin({ name: 'example.com/seat', source: 'count', args })
    await plugin.untilList((ids) => ids.length === DEVICES)
    const waits: number[] = []
    for (let i = 0; i < (isQuick ? 2 : 20); i++) {
      const isHealthy = i % 2 === 1
      const [, waitedMs] = await Promise.all([
        writeFile(healthFile, isHealthy ? 'Healthy' : 'Unhealthy: licence server is down'),
        plugin.untilList((ids) => ids.length === (isHealthy ? DEVICES : 0)),
      ])
      waits.push(waitedMs)
    }
    progress(`change: ${waits.length} changes`)
    return [line(`a change of health to the list, ${DEVICES} devices`, 'ms', waits)]
  } finally {
    await rm(directory, { recursive: true })
  }
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

async function benchStart({ name, start }: Contender, options: BenchOptions): Promise<readonly Measurement[]> {
  const samples: number[] = []
  for (let i = 0; i < (options.isQuick ? 2 : 10); i++) {
    await using plugin = await start()
    samples.push(plugin.firstListMs)
  }
  options.progress(`start: ${samples.length} starts of ${name}`)
  return [line(`start to the first list, ${name}`, 'ms', samples)]
}

/** Measures the built device plugin in its own process, beside upstream's sample. */
export const devicePluginBench: Bench = {
  name: 'device-plugin',
  summary: "the built device plugin, beside upstream's sample: start, changes, allocations, scans and memory",
  async run(options) {
    const directory = await mkdtemp(join(tmpdir(), 'dp-bench-sample-'))
    try {
      const measurements: Measurement[] = [line('size of the bundle', 'B', [(await stat(MAIN)).size])]
      const sample = sampleContender(directory, options)
      for (const contender of [berth, ...(sample === undefined ? [] : [sample])]) {
        measurements.push(...(await benchStart(contender, options)), ...(await benchAllocate(contender, options)))
      }
      for (const bench of [benchChange, benchScan, benchPreferred]) measurements.push(...(await bench(options)))
      return measurements
    } finally {
      await rm(directory, { recursive: true })
    }
  },
}
