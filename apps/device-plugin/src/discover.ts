import type { Device, Clock } from '@berth/types'
import type { DeviceSource } from '@berth/plugin-api'

/** What one resource would offer. */
export interface Discovery {
  readonly resourceName: string
  readonly devices: readonly Device[]
  /** Why nothing could be found out. */
  readonly problem?: string
}

/** Longest time that a source may take for its first inventory. */
const DISCOVERY_TIMEOUT_MS = 10_000

/** Takes the first inventory of a source, then stops it. */
export async function discoverOnce(resourceName: string, source: DeviceSource, clock: Clock): Promise<Discovery> {
  const stop = new AbortController()
  let timer = { cancel: (): void => {} }
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = clock.setTimer(DISCOVERY_TIMEOUT_MS, () =>
      reject(new Error(`no inventory within ${DISCOVERY_TIMEOUT_MS / 1000} s`)),
    )
  })
  try {
    const iterator = source.discover(stop.signal)[Symbol.asyncIterator]()
    const first = await Promise.race([iterator.next(), timeout])
    const devices = first.done === true ? [] : first.value
    stop.abort()
    await Promise.race([iterator.return?.(), timeout])
    return { resourceName, devices: devices.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }
  } catch (error) {
    return { resourceName, devices: [], problem: error instanceof Error ? error.message : String(error) }
  } finally {
    timer.cancel()
    stop.abort()
  }
}

/** JSON for programs: resources with their devices. */
export function formatDiscoveryJson(discoveries: readonly Discovery[]): string {
  const resources = discoveries.map(({ resourceName, devices, problem }) => ({
    name: resourceName,
    ...(problem !== undefined && { problem }),
    devices: devices.map(({ id, health, reason, numaNodes = [], paths = [] }) => ({
      id,
      health,
      ...(reason !== undefined && { reason }),
      numaNodes,
      paths,
    })),
  }))
  return `${JSON.stringify({ resources }, undefined, 2)}\n`
}

/** A table for people, and a line for every resource that has nothing to show. */
export function formatDiscoveryTable(discoveries: readonly Discovery[]): string {
  const header = ['RESOURCE', 'DEVICE', 'HEALTH', 'NUMA', 'PATHS']
  const rows = discoveries.flatMap(({ resourceName, devices, problem }) =>
    devices.length === 0
      ? [[resourceName, '-', problem === undefined ? 'nothing found' : `failed: ${problem}`, '', '']]
      : devices.map((device) => [
          resourceName,
          device.id,
          device.reason === undefined ? device.health : `${device.health} (${device.reason})`,
          (device.numaNodes ?? []).join(',') || '-',
          [...new Set(device.paths ?? [])].join(' -> ') || '-',
        ]),
  )
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)))
  const lines = [header, ...rows].map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}
