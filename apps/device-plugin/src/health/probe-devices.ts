import { withDeadline } from '@berth/clock'
import { createDirectoryWatcher, type DirectoryWatcher } from '@berth/device-discovery'
import type { ProbeResult } from '@berth/plugin-api'
import { errorText } from '@berth/text/error-text'
import type { Clock, Device, Logger, Timer } from '@berth/types'
import { isDeepStrictEqual } from 'node:util'
import type { DeviceTable, ProbeFinding } from '../devices/device-table.ts'
import { runInParallel } from '../run-in-parallel.ts'
import type { Probe } from './probe.ts'
import { nextProbeState, type ProbeState } from './probe-state.ts'

/** Bound on runs of a probe at the same time, so that a few that do not answer do not delay the others. */
const MAX_RUNS_AT_ONCE = 32
/** Minimum interval between two updates of the table with results, because each one sends a list. */
const PUBLISH_INTERVAL_MS = 50
const NOT_PROBED: ProbeFinding = { health: 'Unhealthy', reason: 'it was not probed yet', cause: 'probe' }

/** Probes the devices of an inventory, and records the results in the table. */
export interface DeviceProber {
  /** Takes the newest inventory, after the table has it. A device of a configured probe is unhealthy until it passes. */
  setInventory(inventory: readonly Device[]): void
  /** Runs each probe once for every device, and records the results. */
  runOnce(signal: AbortSignal): Promise<void>
  /** Runs all probes at their intervals until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}

/** A probe of a resource, and what happens with its runs. */
export interface ProbeTask {
  readonly probe: Probe
  /** Whether a device counts as healthy before its first run. */
  readonly isOptimistic: boolean
  /** False if a failed run says nothing new. Default: true. */
  readonly isRecorded?: boolean
  /** Called before each run. Returns undefined to skip it, or what to do when it passed. */
  readonly before?: (device: Device) => (() => void) | undefined
}

/** A task, and what is known of its runs. */
interface RunningTask extends ProbeTask {
  /** By device id. */
  readonly states: Map<string, ProbeState>
  /** Ids of the devices whose run has not ended, also after its deadline. */
  readonly unended: Set<string>
}

/** Creates a prober without devices. */
export function createDeviceProber(options: {
  readonly tasks: readonly ProbeTask[]
  readonly table: DeviceTable
  /** Devices that count as healthy before their first run, because they were healthy before a change of the probes. */
  readonly trustedIds?: ReadonlySet<string>
  readonly clock: Clock
  readonly log: Logger
}): DeviceProber {
  const { table, trustedIds = new Set(), clock, log } = options
  const tasks = options.tasks.map((task): RunningTask => ({ ...task, states: new Map(), unended: new Set() }))
  const watchers = new Set<DirectoryWatcher>()
  const published = new Map<string, ProbeFinding>()
  const changed = new Map<string, ProbeFinding>()
  let inventory: readonly Device[] = []
  /** By id of each device of the inventory: another symbol each time that it joins. */
  let arrivals: ReadonlyMap<string, symbol> = new Map()
  let publishedAtMs = -Infinity
  let pending: Timer | undefined

  function publish(): void {
    pending?.cancel()
    pending = undefined
    publishedAtMs = clock.monotonic()
    table.setProbeResults(changed)
    changed.clear()
  }

  function publishSoon(): void {
    const waitMs = publishedAtMs + PUBLISH_INTERVAL_MS - clock.monotonic()
    if (waitMs <= 0) publish()
    else pending ??= clock.setTimer(waitMs, publish)
  }

  /** Combines the probes of a device: the first that fails decides, and one that removes it goes first. */
  function findingOf(id: string): ProbeFinding {
    let finding: ProbeFinding | undefined
    for (const { probe, isOptimistic, states } of tasks) {
      const state = states.get(id)
      if (state === undefined) {
        if (!isOptimistic && !trustedIds.has(id)) finding ??= NOT_PROBED
      } else if (!state.isPassing) {
        const isRemoved = probe.onFailure === 'remove'
        const failing: ProbeFinding = {
          health: 'Unhealthy',
          reason: state.reason,
          cause: probe.name,
          ...(isRemoved && { isRemoved }),
        }
        if (isRemoved) return failing
        finding ??= failing
      }
    }
    return finding ?? { health: 'Healthy' }
  }

  function record(id: string): void {
    const finding = findingOf(id)
    if (isDeepStrictEqual(published.get(id), finding)) return
    published.set(id, finding)
    changed.set(id, finding)
    publishSoon()
  }

  async function runForDevice(task: RunningTask, device: Device, signal: AbortSignal): Promise<void> {
    const { probe, states, before, isRecorded = true } = task
    const arrival = arrivals.get(device.id)
    if (arrival === undefined) return
    const onPassed = before === undefined ? () => {} : before(device)
    if (signal.aborted || onPassed === undefined) return
    const result = await withDeadline({ clock, deadlineMs: probe.timeoutMs, signal }, (either) =>
      runUnlessRunning(task, device, either),
    ).catch((error: unknown) => ({ health: 'Unhealthy' as const, reason: `probe failed: ${errorText(error)}` }))
    // A device that left meanwhile keeps nothing, so that it is probed from the start when it returns.
    if (signal.aborted || arrivals.get(device.id) !== arrival) return
    if (isRecorded) {
      const times = { thresholds: probe.thresholds, nowMs: clock.monotonic() }
      states.set(device.id, nextProbeState(states.get(device.id), result, times))
      record(device.id)
    }
    if (result.health === 'Healthy') onPassed()
  }

  /**
   * Runs a probe unless its earlier run has not ended: a file that does not answer blocks one of the few threads that
   * serve all files of the process.
   */
  async function runUnlessRunning(
    { probe, unended }: RunningTask,
    device: Device,
    signal: AbortSignal,
  ): Promise<ProbeResult> {
    if (unended.has(device.id)) return { health: 'Unhealthy', reason: 'an earlier run has not ended' }
    unended.add(device.id)
    try {
      return await probe.run(device, signal)
    } finally {
      unended.delete(device.id)
    }
  }

  async function runAtIntervals(task: RunningTask, signal: AbortSignal): Promise<void> {
    using changes = createDirectoryWatcher({ clock, log })
    if (!task.isOptimistic) watchers.add(changes)
    while (!signal.aborted) {
      const devices = inventory
      changes.watch(task.probe.watchedDirectories(devices))
      await runInParallel(devices, MAX_RUNS_AT_ONCE, (device) => runForDevice(task, device, signal))
      await changes.wait(task.probe.intervalMs, signal)
    }
  }

  return {
    setInventory(next) {
      inventory = next
      const before = arrivals
      arrivals = new Map(next.map(({ id }) => [id, before.get(id) ?? Symbol(id)]))
      for (const known of [published, changed, ...tasks.map(({ states }) => states)]) {
        for (const id of known.keys()) if (!arrivals.has(id)) known.delete(id)
      }
      const isNew = next.some(({ id }) => !published.has(id))
      if (!isNew || tasks.every(({ isOptimistic }) => isOptimistic)) return
      for (const { id } of next) {
        if (published.has(id)) continue
        const finding = findingOf(id)
        published.set(id, finding)
        changed.set(id, finding)
      }
      publish()
      for (const watcher of watchers) watcher.notify()
    },
    async runOnce(signal) {
      await Promise.all(
        tasks.map((task) => runInParallel(inventory, MAX_RUNS_AT_ONCE, (device) => runForDevice(task, device, signal))),
      )
      publish()
    },
    async run(signal) {
      signal.addEventListener('abort', () => pending?.cancel(), { once: true })
      await Promise.all(tasks.map((task) => runAtIntervals(task, signal)))
    },
  }
}
