import { join } from 'node:path'
import { type HostFiles, numaNodesAbove, PCI_DEVICES } from '@berth/device-discovery'

/** Directory with a file for each GPU of NVIDIA's driver. */
const DRIVER_GPUS = '/proc/driver/nvidia/gpus'

/**
 * Returns the NUMA node of each GPU by its device node: `/dev/nvidia0` -> `[1]`. The driver has no entries in /sys/dev, so
 * the PCI address comes from its files in /proc.
 */
export async function numaByGpuNode(host: HostFiles): Promise<ReadonlyMap<string, readonly number[]>> {
  const addresses = await host.names(DRIVER_GPUS)
  const entries = await Promise.all(
    addresses.map(async (address) => {
      const text = (await host.text(join(DRIVER_GPUS, address, 'information'))) ?? ''
      const minor = /^Device Minor:\s*(\d+)$/m.exec(text)?.[1]
      const directory = await host.real(join(PCI_DEVICES, address.toLowerCase()))
      const numaNodes = directory === undefined ? [] : await numaNodesAbove(directory, host)
      return [`/dev/nvidia${minor ?? ''}`, numaNodes] as const
    }),
  )
  return new Map(entries)
}

/** Returns the device nodes of GPUs: /dev/nvidia0, but not /dev/nvidiactl and the capabilities of MIG. */
export function gpuNodesOf(nodes: readonly string[]): readonly string[] {
  return nodes.filter((node) => /^\/dev\/nvidia\d+$/.test(node))
}
