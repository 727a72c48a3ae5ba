import { basename, join } from 'node:path'
import type { HostFiles } from '../host/host-files.ts'
import { isSameHex } from '../match-pattern.ts'

/** Directory of all PCI functions. */
export const PCI_DEVICES = '/sys/bus/pci/devices'

/** An address of a PCI function, as in `0000:3b:00.1`. */
export const pciAddressPattern: RegExp = /^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/

/** Returns the driver that a device is bound to; undefined if it is bound to none. */
export async function driverOf(directory: string, host: HostFiles): Promise<string | undefined> {
  const driver = await host.real(join(directory, 'driver'))
  return driver === undefined ? undefined : basename(driver)
}

/** Returns whether a PCI function or a USB device has these hexadecimal ids. @param wanted - Name of the file in sysfs -> id. */
export async function hasHexIds(
  directory: string,
  wanted: Readonly<Record<string, string | undefined>>,
  host: HostFiles,
): Promise<boolean> {
  for (const [name, id] of Object.entries(wanted)) {
    if (id !== undefined && !isSameHex(await host.text(join(directory, name)), id)) return false
  }
  return true
}

/** An IOMMU group: the smallest unit of isolation, which VFIO hands out as a whole. */
export interface IommuGroup {
  readonly number: string
  /** Addresses of the members, sorted. */
  readonly members: readonly string[]
  /** Device nodes that a container needs. */
  readonly nodes: readonly string[]
  /** Why VFIO refuses the group; undefined if it is usable. */
  readonly problem?: string
}

/** Drivers that do not use the device, so that VFIO accepts its group. Linux: Documentation/driver-api/vfio.rst. */
const PASSIVE_DRIVERS = new Set<string | undefined>([undefined, 'vfio-pci', 'pci-stub', 'pcieport'])

/**
 * Reads the IOMMU group of a device that is bound to vfio-pci.
 *
 * @param directory - Below /sys/devices.
 * @returns Undefined without an IOMMU.
 */
export async function iommuGroupOf(directory: string, host: HostFiles): Promise<IommuGroup | undefined> {
  const group = await host.real(join(directory, 'iommu_group'))
  if (group === undefined) return undefined
  const members = await host.names(join(group, 'devices'))
  const drivers = await Promise.all(members.map((member) => driverOf(join(PCI_DEVICES, member), host)))
  const active = drivers.findIndex((driver) => !PASSIVE_DRIVERS.has(driver))
  const number = basename(group)
  return {
    number,
    members,
    nodes: [`/dev/vfio/${number}`, '/dev/vfio/vfio'],
    ...(active >= 0 && {
      problem: `IOMMU group ${number} also holds ${members[active]}, which is bound to ${drivers[active]}: bind every device of the group to vfio-pci`,
    }),
  }
}
