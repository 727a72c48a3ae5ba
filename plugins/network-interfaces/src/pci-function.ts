import {
  driverOf,
  hasHexIds,
  type HostFiles,
  type IommuGroup,
  iommuGroupOf,
  matchesPattern,
} from '@berth/device-discovery'
import type { NetworkArgs } from './args.ts'

/** A PCI function of a network card. */
export interface PciFunction {
  readonly address: string
  /** Directory below /sys/devices. */
  readonly directory: string
  readonly driver: string | undefined
  /** Only of a function that is bound to vfio-pci. */
  readonly group: IommuGroup | undefined
}

/** Reads a PCI function. @returns Undefined if the arguments do not select it. */
export async function selectFunction(
  { address, directory }: { readonly address: string; readonly directory: string },
  args: NetworkArgs,
  host: HostFiles,
): Promise<PciFunction | undefined> {
  if (!(await hasHexIds(directory, { vendor: args.vendor, device: args.device }, host))) return undefined
  const driver = await driverOf(directory, host)
  if (args.driver !== undefined && !matchesPattern(driver ?? '', args.driver)) return undefined
  return {
    address,
    directory,
    driver,
    group: driver === 'vfio-pci' ? await iommuGroupOf(directory, host) : undefined,
  }
}

/** Returns why no container can use a function; undefined if one can. */
export function problemOf({ address, driver, group }: PciFunction): string | undefined {
  if (group?.problem !== undefined) return group.problem
  if (group !== undefined && group.members.length > 1) {
    return `IOMMU group ${group.number} of ${address} has other members, and only one container can open it: use the source pci`
  }
  return driver === 'vfio-pci' && group === undefined
    ? `${address} has no IOMMU group: enable the IOMMU of the machine`
    : undefined
}
