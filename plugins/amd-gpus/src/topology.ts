import { join } from 'node:path'
import type { HostFiles } from '@berth/device-discovery'

/** Directory of the compute nodes that the amdgpu driver reports: CPUs, GPUs and partitions of GPUs. */
const KFD_NODES = '/sys/class/kfd/kfd/topology/nodes'

/** Minor numbers of the render nodes of the partitions of each GPU, in order; the key is the PCI address without the function. */
export type Topology = ReadonlyMap<string, readonly number[]>

/**
 * Reads the GPUs and partitions that can compute. The kernel refuses to describe GPUs whose nodes the calling process must
 * not open (`kfd_devcgroup_check_permission`), so a container without these nodes finds none.
 */
export async function readTopology(host: HostFiles): Promise<Topology> {
  const names = await host.names(KFD_NODES)
  const texts = await Promise.all(names.map((name) => host.text(join(KFD_NODES, name, 'properties'))))
  const gpus = texts.flatMap((text) => {
    const property = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text ?? '')?.[1] ?? 0)
    const minor = property('drm_render_minor')
    // A CPU has neither SIMD units nor a render node.
    return property('simd_count') === 0 || minor === 0
      ? []
      : [{ minor, slot: slotOf(property('domain'), property('location_id')) }]
  })
  const bySlot = Map.groupBy(gpus, ({ slot }) => slot)
  return new Map([...bySlot].map(([slot, parts]) => [slot, parts.map(({ minor }) => minor).toSorted((a, b) => a - b)]))
}

/** The lowest three bits are the function or, as the highest four bits of newer drivers, the number of the partition. */
function slotOf(domain: number, location: number): string {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')
  return `${hex(domain, 4)}:${hex((location >> 8) & 0xff, 2)}:${hex((location >> 3) & 0x1f, 2)}`
}
