import { join } from 'node:path'
import { unpackedTree } from '@berth/device-discovery/testing'
import type { RunDeviceSourceOptions } from '@berth/plugin-api/testing'

const tree = (name: string): string => join(import.meta.dirname, 'trees', name)

/** Two GPUs without partition modes. */
export const mi210: string = tree('mi210.tree')
/** Two GPUs with four partitions each. */
export const mi308x: string = tree('mi308x-cpx.tree')
/** Four GPUs that could be partitioned and are not, in four PCI domains. */
export const mi300a: string = tree('mi300a-spx.tree')

/** Inputs of the test kit and of the benchmark, by the name of the plugin. */
export const samples: Readonly<Record<'amd-gpu', RunDeviceSourceOptions>> = {
  'amd-gpu': { args: { hostRoot: unpackedTree(mi308x) } },
}
