import { join } from 'node:path'
import { unpackedTree } from '@berth/device-discovery/testing'
import type { RunDeviceSourceOptions } from '@berth/plugin-api/testing'

const tree = (name: string): string => join(import.meta.dirname, 'trees', name)

/** A card with two ports and virtual functions. */
export const sriov: string = tree('sriov.tree')
/** A recorded virtual machine. */
export const virtioMachine: string = tree('virtio-machine.tree')

/** Inputs of the test kit and of the benchmark, by the name of the plugin. */
export const samples: Readonly<Record<'network', RunDeviceSourceOptions>> = {
  network: { args: { virtualFunctionsOf: ['ens1f0*'], hostRoot: unpackedTree(sriov) } },
}
