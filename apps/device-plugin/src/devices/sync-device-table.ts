import { backoffMs, jitter, pause } from '@berth/clock'
import { errorText } from '@berth/text/error-text'
import type { DeviceSource, ProbeResult } from '@berth/plugin-api'
import type { Clock, Device, Logger, Random, Timer } from '@berth/types'
import { isDeepStrictEqual } from 'node:util'
import { runInParallel } from '../run-in-parallel.ts'
import { withDeadline } from '../with-deadline.ts'
import type { DeviceTable } from './device-table.ts'

/** Dependencies of {@link syncDeviceTable}. */
export interface SyncOptions {
  readonly resourceName: string
  readonly source: DeviceSource
  readonly table: DeviceTable
  /** Interval between two probes of a device, milliseconds. */
  readonly probeMs: number
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Called with the error when discovery fails, and with undefined when the source yields an inventory. */
  readonly onDiscovery: (failure: string | undefined) => void
}

/** A probe that takes longer fails. */
const PROBE_TIMEOUT_MS = 10_000
/** Bound on probes at the same time, so that a few that do not answer do not delay the others. */
const MAX_PROBES_AT_ONCE = 32
/** Minimum interval between two updates of the table with probe results, because each one sends a list. */
const PUBLISH_INTERVAL_MS = 50
const RETRY_LIMITS = { initialMs: 1_000, maxMs: 10_000 }
/** The last inventory is no longer trusted after as many failures of discovery in a row. */
const MAX_FAILURES = 2

/**
 * Keeps the table in sync with the source's inventory and probe results, until the signal aborts. A source that fails
 * is restarted, and its last inventory stays in the table; after a second failure without a new one, as unhealthy.
 */
export async function syncDeviceTable(options: SyncOptions, signal: AbortSignal): Promise<void> {
  const { source, table, clock } = options
  const probeResults = new Map<string, ProbeResult>()
  /** Results that the table does not have yet. */
  const newResults = new Map<string, ProbeResult>()
  let inventory: readonly Device[] | undefined
  let failures = 0
  let publishedAtMs = -Infinity
  let pending: Timer | undefined
  const publishResults = (): void => {
    pending?.cancel()
    pending = undefined
    publishedAtMs = clock.monotonic()
    table.setProbeResults(newResults)
    newResults.clear()
  }
  const publishSoon = (): void => {
    const waitMs = publishedAtMs + PUBLISH_INTERVAL_MS - clock.monotonic()
    if (waitMs <= 0) publishResults()
    else pending ??= clock.setTimer(waitMs, publishResults)
  }

  async function discover(): Promise<void> {
    for await (const found of source.discover(signal)) {
      if (signal.aborted) return
      inventory = found
      const ids = new Set(found.map(({ id }) => id))
      for (const id of probeResults.keys()) if (!ids.has(id)) probeResults.delete(id)
      failures = 0
      options.onDiscovery(undefined)
      table.update(found)
      table.setDistrust(undefined)
    }
    if (!signal.aborted) throw new Error('the source stopped')
  }

  async function discoverWithRestarts(): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        await discover()
      } catch (error) {
        if (signal.aborted) return
        if (++failures >= MAX_FAILURES) table.setDistrust('discovery fails; see the log')
        options.onDiscovery(errorText(error))
        options.log.error({ err: error, resourceName: options.resourceName, attempt }, 'Device discovery failed')
        await pause(options.clock, jitter(backoffMs(attempt + 1, RETRY_LIMITS), 0.2, options.random), signal)
      }
    }
  }

  async function probeDevice(device: Device): Promise<void> {
    const failure = table.allocationFailure(device.id)
    if (probe === undefined && failure === undefined) return
    const result = await runProbe(probe ?? probeByAllocation, device, clock, signal)
    if (signal.aborted) return
    if (probe !== undefined && !isDeepStrictEqual(probeResults.get(device.id), result)) {
      probeResults.set(device.id, result)
      newResults.set(device.id, result)
      publishSoon()
    }
    if (failure !== undefined && result.health === 'Healthy') table.clearAllocationFailure(device.id, failure)
  }

  /** Probes a device of a source without probes, after a failed allocation. A repeated allocation is harmless. */
  async function probeByAllocation(device: Device): Promise<ProbeResult> {
    await source.allocate([device.id], inventory ?? [])
    return { health: 'Healthy' }
  }

  async function probeRepeatedly(): Promise<void> {
    while (!signal.aborted) {
      await runInParallel(inventory ?? [], MAX_PROBES_AT_ONCE, async (device) => {
        if (!signal.aborted) await probeDevice(device)
      })
      await pause(clock, options.probeMs, signal)
    }
    pending?.cancel()
  }

  const probe = source.probe?.bind(source)
  await Promise.all([discoverWithRestarts(), probeRepeatedly()])
}

async function runProbe(
  probe: NonNullable<DeviceSource['probe']>,
  device: Device,
  clock: Clock,
  signal: AbortSignal,
): Promise<ProbeResult> {
  try {
    return await withDeadline({ clock, deadlineMs: PROBE_TIMEOUT_MS, signal }, (either) => probe(device, either))
  } catch (error) {
    return { health: 'Unhealthy', reason: `probe failed: ${errorText(error)}` }
  }
}
