import type { Device } from '@berth/types'
import type { DeviceTable } from '../devices/device-table.ts'

/** A device as `/debug/devices` shows it. */
export interface DescribedDevice extends Device {
  /** Why it is not healthy, as one word. */
  readonly cause?: string
  /** Whether a probe removed it from the list. */
  readonly isRemoved?: boolean
}

/** Returns the listed devices of a table, and those that probes removed, sorted by id. */
export function describeDevices(table: DeviceTable): readonly DescribedDevice[] {
  const listed = (table.list() ?? []).map((device) => ({ ...device, ...causeOf(table, device.id) }))
  const removed = table.removed().map((device) => ({ ...device, ...causeOf(table, device.id), isRemoved: true }))
  return [...listed, ...removed].sort((a, b) => (a.id < b.id ? -1 : 1))
}

function causeOf(table: DeviceTable, id: string): { readonly cause?: string } {
  const cause = table.causeOf(id)
  return cause === undefined ? {} : { cause }
}
