import { join } from 'node:path'
import {
  childNodes,
  driverOf,
  hasHexIds,
  healthOfNodes,
  type HostFiles,
  iommuGroupOf,
  matchesPattern,
  type NodeHealth,
  numaNodesAbove,
  PCI_DEVICES,
} from '@berth/device-discovery'
import type { Device } from '@berth/plugin-api'
import type { PciArgs, PciSelector } from './args.ts'
import { hasAttributes } from './has-attributes.ts'

/** Selected PCI functions that containers get together. */
export interface PciDevice extends Device {
  /** Addresses of the functions; several if an IOMMU group holds them. */
  readonly addresses: readonly string[]
  /** Nodes that the container gets. */
  readonly nodes: readonly string[]
}

/** A selected function. */
interface PciFunction {
  readonly address: string
  /** Directory below /sys/devices. */
  readonly directory: string
  readonly driver: string | undefined
}

/**
 * Returns the selected functions, sorted by address. The members of an IOMMU group are one device when VFIO hands them
 * out, because only one container can open the group.
 */
export async function scanPci(args: PciArgs, host: HostFiles): Promise<readonly PciDevice[]> {
  const addresses = await host.names(PCI_DEVICES)
  const read = await Promise.all(addresses.map((address) => selectFunction(address, args.devices, host)))
  const selected = read.filter((found) => found !== undefined)
  const children = await childNodes(args.nodes, host)
  const devices: PciDevice[] = []
  const inGroups = new Set<string>()
  for (const found of selected) {
    const { address, directory, driver } = found
    if (inGroups.has(address)) continue
    const group = driver === 'vfio-pci' ? await iommuGroupOf(directory, host) : undefined
    const members = selected.filter((other) => other === found || group?.members.includes(other.address) === true)
    for (const member of members) inGroups.add(member.address)
    const nodes = [...(group?.nodes ?? []), ...members.flatMap((member) => children.get(member.address) ?? [])]
    const problem = group?.problem ?? problemOf(found, { args, nodes, hasGroup: group !== undefined })
    const status: NodeHealth =
      problem === undefined ? await healthOfNodes(nodes, host) : { health: 'Unhealthy', reason: problem }
    const numaNodes = await numaNodesAbove(directory, host)
    devices.push({
      id: address,
      ...status,
      paths: [...nodes, join(PCI_DEVICES, address)],
      addresses: members.map((member) => member.address),
      nodes,
      ...(numaNodes.length > 0 && { numaNodes }),
    })
  }
  return devices
}

function problemOf(
  { address, driver }: PciFunction,
  { args, nodes, hasGroup }: { readonly args: PciArgs; readonly nodes: readonly string[]; readonly hasGroup: boolean },
): string | undefined {
  if (driver === 'vfio-pci' && !hasGroup) return `${address} has no IOMMU group: enable the IOMMU of the machine`
  if (args.nodes.length === 0 || nodes.length > 0) return undefined
  return `${address} has no node of ${args.nodes.join(', ')}${driver === undefined ? ': it is bound to no driver' : ''}`
}

async function selectFunction(
  address: string,
  selectors: readonly PciSelector[],
  host: HostFiles,
): Promise<PciFunction | undefined> {
  const directory = await host.real(join(PCI_DEVICES, address))
  if (directory === undefined) return undefined
  const driver = await driverOf(directory, host)
  for (const selector of selectors) {
    if (await isSelected({ address, directory, driver }, selector, host)) return { address, directory, driver }
  }
  return undefined
}

async function isSelected(found: PciFunction, wanted: PciSelector, host: HostFiles): Promise<boolean> {
  const { address, directory, driver } = found
  if (wanted.address !== undefined && !matchesPattern(address, wanted.address)) return false
  if (wanted.driver !== undefined && !matchesPattern(driver ?? '', wanted.driver)) return false
  if (!(await hasHexIds(directory, { vendor: wanted.vendor, device: wanted.device }, host))) return false
  if (wanted.class !== undefined) {
    const code = (await host.text(join(directory, 'class')))?.replace(/^0x/, '').toLowerCase()
    if (code?.startsWith(wanted.class.replace(/^0x/, '').toLowerCase()) !== true) return false
  }
  return await hasAttributes(directory, wanted.attributes ?? {}, host)
}
