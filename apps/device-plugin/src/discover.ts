import { withDeadline } from '@berth/clock'
import { errorText } from '@berth/text/error-text'
import type { Device, Clock } from '@berth/types'
import type { DeviceSource } from '@berth/plugin-api'
import { setImmediate } from 'node:timers/promises'
import { printable, printableLine } from './printable.ts'

/** The devices that one resource would offer. */
export interface Discovery {
  readonly resourceName: string
  readonly devices: readonly Device[]
  /** Devices that were found and are not offered. */
  readonly leftOut?: readonly { readonly id: string; readonly reason: string }[]
  /** Error text if discovery failed or is incomplete. */
  readonly problem?: string
}

/** Timeout for the first inventory of a source. */
const DISCOVERY_TIMEOUT_MS = 10_000

/** Returns the first inventory of a source, then stops the source. */
export async function discoverOnce(resourceName: string, source: DeviceSource, clock: Clock): Promise<Discovery> {
  try {
    const found = await withDeadline({ clock, deadlineMs: DISCOVERY_TIMEOUT_MS }, () => firstInventory(source))
    return { resourceName, ...found }
  } catch (error) {
    return { resourceName, devices: [], problem: errorText(error) }
  }
}

async function firstInventory(source: DeviceSource): Promise<Omit<Discovery, 'resourceName'>> {
  const stop = new AbortController()
  try {
    const iterator = source.discover(stop.signal)[Symbol.asyncIterator]()
    const first = await iterator.next()
    const devices = first.done === true ? [] : first.value
    // A source whose inventory is incomplete fails as soon as it continues.
    const failure = iterator.next().then(() => undefined, errorText)
    const problem = await Promise.race([failure, setImmediate(undefined)])
    stop.abort()
    await iterator.return?.()
    const sorted = devices.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    return { devices: sorted, ...(problem !== undefined && { problem }) }
  } finally {
    stop.abort()
  }
}

/** Formats discoveries as JSON for programs. */
export function formatDiscoveryJson(discoveries: readonly Discovery[]): string {
  const resources = discoveries.map(({ resourceName, devices, problem, leftOut = [] }) => ({
    name: resourceName,
    ...(problem !== undefined && { problem }),
    devices: devices.map(({ id, health, reason, numaNodes = [], paths = [] }) => ({
      id,
      health,
      ...(reason !== undefined && { reason }),
      numaNodes,
      paths,
    })),
    ...(leftOut.length > 0 && { leftOut }),
  }))
  // The escapes are those of JSON.
  return printable(`${JSON.stringify({ resources }, undefined, 2)}\n`)
}

/** Formats discoveries as a table for people. A resource without devices gets a line of its own. */
export function formatDiscoveryTable(discoveries: readonly Discovery[]): string {
  const header = ['RESOURCE', 'DEVICE', 'HEALTH', 'NUMA', 'PATHS']
  const cells = discoveries.flatMap(({ resourceName, devices, problem, leftOut = [] }) => [
    ...devices.map((device) => [
      resourceName,
      device.id,
      device.reason === undefined ? device.health : `${device.health} (${device.reason})`,
      (device.numaNodes ?? []).join(',') || '-',
      [...new Set(device.paths ?? [])].join(' -> ') || '-',
    ]),
    ...leftOut.map(({ id, reason }) => [resourceName, id, `left out (${reason})`, '', '']),
    ...(problem === undefined ? [] : [[resourceName, '-', `failed: ${problem}`, '', '']]),
    ...(problem === undefined && devices.length + leftOut.length === 0
      ? [[resourceName, '-', 'no devices found', '', '']]
      : []),
  ])
  const rows = cells.map((row) => row.map(printableLine))
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)))
  const lines = [header, ...rows].map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}
