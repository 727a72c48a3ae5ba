import { backoffMs, jitter, pause } from '@berth/clock'
import { errorText } from '@berth/text/error-text'
import type { DeviceSource } from '@berth/plugin-api'
import type { Clock, Device, Logger, Random } from '@berth/types'
import { createDeviceProber, type ProbeTask } from '../health/probe-devices.ts'
import type { Probe } from '../health/probe.ts'
import type { DeviceTable } from '../devices/device-table.ts'

/** Dependencies of {@link syncDeviceTable}. */
export interface SyncOptions {
  readonly resourceName: string
  readonly source: DeviceSource
  readonly table: DeviceTable
  /** Interval between two probes of a device by its source, milliseconds. */
  readonly probeMs: number
  /** Configured probes. */
  readonly probes?: readonly Probe[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Called with the error when discovery fails, and with undefined when the source yields an inventory. */
  readonly onDiscovery: (failure: string | undefined) => void
  /** Called before the table gets the first inventory of the source. */
  readonly onFirstInventory?: () => void
  /** Devices that count as healthy before their first probe. */
  readonly trustedIds?: ReadonlySet<string>
}

/** A probe of the source that takes longer fails. */
const PROBE_TIMEOUT_MS = 10_000
const RETRY_LIMITS = { initialMs: 1_000, maxMs: 10_000 }
/** The last inventory is no longer trusted after as many failures of discovery in a row. */
const MAX_FAILURES = 2

/**
 * Keeps the table in sync with the source's inventory and probe results, until the signal aborts. A source that fails
 * is restarted, and its last inventory stays in the table; after a second failure without a new one, as unhealthy.
 */
export async function syncDeviceTable(options: SyncOptions, signal: AbortSignal): Promise<void> {
  const { source, table, clock, log, resourceName } = options
  let inventory: readonly Device[] = []
  let failures = 0
  let isFirst = true
  const prober = createDeviceProber({
    tasks: [
      sourceTask({ source, table, probeMs: options.probeMs, inventory: () => inventory }),
      ...(options.probes ?? []).map((probe) => ({ probe, isOptimistic: false })),
    ],
    table,
    ...(options.trustedIds !== undefined && { trustedIds: options.trustedIds }),
    clock,
    log,
  })

  async function discover(): Promise<void> {
    for await (const found of source.discover(signal)) {
      if (signal.aborted) return
      inventory = found
      failures = 0
      options.onDiscovery(undefined)
      if (isFirst) options.onFirstInventory?.()
      isFirst = false
      table.update(found)
      prober.setInventory(found)
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
        log.error({ err: error, resourceName, attempt }, 'Device discovery failed')
        await pause(clock, jitter(backoffMs(attempt + 1, RETRY_LIMITS), 0.2, options.random), signal)
      }
    }
  }

  await Promise.all([discoverWithRestarts(), prober.run(signal)])
}

/**
 * Runs the probe of the source. A failed allocation ends when it passes. A device of a source without a probe is
 * allocated again instead, which is harmless.
 */
export function sourceTask(options: {
  readonly source: DeviceSource
  readonly table: DeviceTable
  readonly probeMs: number
  readonly inventory: () => readonly Device[]
}): ProbeTask {
  const { source, table, probeMs, inventory } = options
  const probe = source.probe?.bind(source)
  return {
    isOptimistic: true,
    isRecorded: probe !== undefined,
    probe: {
      name: 'source',
      intervalMs: probeMs,
      timeoutMs: PROBE_TIMEOUT_MS,
      thresholds: { failures: 1, successes: 1, dampingMs: 0 },
      onFailure: 'unhealthy',
      watchedDirectories: () => [],
      async run(device, signal) {
        if (probe !== undefined) return probe(device, signal)
        await source.allocate([device.id], inventory())
        return { health: 'Healthy' }
      },
    },
    before({ id }) {
      const failure = table.allocationFailure(id)
      if (failure !== undefined) return () => table.clearAllocationFailure(id, failure)
      return probe === undefined ? undefined : () => {}
    },
  }
}
