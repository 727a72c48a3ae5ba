import { backoffMs, jitter, pause } from '@berth/clock'
import { errorText } from '@berth/text/error-text'
import type { DeviceSource, ProbeResult } from '@berth/plugin-api'
import type { Clock, Device, Logger, Random } from '@berth/types'
import type { DeviceTable } from './device-table.ts'

/** Dependencies of {@link syncDeviceTable}. */
export interface SyncOptions {
  readonly resourceName: string
  readonly source: DeviceSource
  readonly table: DeviceTable
  /** Interval between two probes of a device, milliseconds, if the source supports probes. */
  readonly probeMs: number
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Called with the error when discovery fails, and with undefined when the source yields an inventory. */
  readonly onDiscovery: (failure: string | undefined) => void
}

/** A probe that takes longer fails. */
const PROBE_TIMEOUT_MS = 10_000
const RETRY_LIMITS = { initialMs: 1_000, maxMs: 10_000 }
/** The last inventory is no longer trusted after as many failures of discovery in a row. */
const MAX_FAILURES = 2

/**
 * Keeps the table in sync with the source's inventory and probe results, until the signal aborts. A source that fails
 * is restarted, and its last inventory stays in the table; after a second failure without a new one, as unhealthy.
 */
export async function syncDeviceTable(options: SyncOptions, signal: AbortSignal): Promise<void> {
  const { source, table } = options
  const probeResults = new Map<string, ProbeResult>()
  let inventory: readonly Device[] | undefined
  let failures = 0
  const publish = (): void => {
    const isTrusted = failures < MAX_FAILURES
    const devices = inventory?.map((device) =>
      isTrusted ? withProbeResult(device, probeResults.get(device.id)) : { ...device, ...NOT_DISCOVERED },
    )
    if (devices !== undefined) table.update(devices)
  }

  async function discover(): Promise<void> {
    for await (const found of source.discover(signal)) {
      if (signal.aborted) return
      inventory = found
      const ids = new Set(found.map(({ id }) => id))
      for (const id of probeResults.keys()) if (!ids.has(id)) probeResults.delete(id)
      failures = 0
      options.onDiscovery(undefined)
      publish()
    }
    if (!signal.aborted) throw new Error('the source stopped')
  }

  async function discoverWithRestarts(): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        await discover()
      } catch (error) {
        if (signal.aborted) return
        failures++
        options.onDiscovery(errorText(error))
        publish()
        options.log.error({ err: error, resourceName: options.resourceName, attempt }, 'Device discovery failed')
        await pause(options.clock, jitter(backoffMs(attempt + 1, RETRY_LIMITS), 0.2, options.random), signal)
      }
    }
  }

  async function probeRepeatedly(probe: NonNullable<DeviceSource['probe']>): Promise<void> {
    while (!signal.aborted) {
      for (const device of inventory ?? []) {
        if (signal.aborted) return
        probeResults.set(device.id, await runProbe(probe, device, options.clock, signal))
        publish()
      }
      await pause(options.clock, options.probeMs, signal)
    }
  }

  const probe = source.probe?.bind(source)
  await Promise.all([discoverWithRestarts(), probe === undefined ? undefined : probeRepeatedly(probe)])
}

const NOT_DISCOVERED: ProbeResult = { health: 'Unhealthy', reason: 'discovery fails; see the log' }

/** Applies a probe result to a device. A device that its source reports as unhealthy stays unhealthy. */
function withProbeResult(device: Device, result: ProbeResult | undefined): Device {
  return result === undefined || device.health === 'Unhealthy' ? device : { ...device, ...result }
}

async function runProbe(
  probe: NonNullable<DeviceSource['probe']>,
  device: Device,
  clock: Clock,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const timeout = new AbortController()
  const timer = clock.setTimer(PROBE_TIMEOUT_MS, () => timeout.abort())
  const either = AbortSignal.any([timeout.signal, signal])
  try {
    const aborted = new Promise<never>((_resolve, reject) => {
      either.addEventListener('abort', () => reject(new Error(`no answer within ${PROBE_TIMEOUT_MS / 1000} s`)), {
        once: true,
      })
    })
    return await Promise.race([probe(device, either), aborted])
  } catch (error) {
    return { health: 'Unhealthy', reason: `probe failed: ${errorText(error)}` }
  } finally {
    timer.cancel()
  }
}
