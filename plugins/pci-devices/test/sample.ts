import { join } from 'node:path'
import { unpackedTree } from '@berth/device-discovery/testing'
import type { RunDeviceSourceOptions } from '@berth/plugin-api/testing'

const tree = (name: string): string => join(import.meta.dirname, 'trees', name)

/** Accelerators, and functions for VFIO. */
export const accelerators: string = tree('fpga-and-gpu.tree')
/** A recorded virtual machine. */
export const virtioMachine: string = tree('virtio-machine.tree')

/** Inputs of the test kit and of the benchmark, by the name of the plugin. */
export const samples: Readonly<Record<'pci' | 'sysfs', RunDeviceSourceOptions>> = {
  pci: { args: { devices: [{ vendor: '1da3' }], nodes: ['accel'], hostRoot: unpackedTree(accelerators) } },
  sysfs: { args: { directory: '/sys/class/accel', hostRoot: unpackedTree(accelerators) } },
}
