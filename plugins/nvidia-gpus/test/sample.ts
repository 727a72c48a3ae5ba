import { join } from 'node:path'
import { unpackedTree } from '@berth/device-discovery/testing'
import type { RunDeviceSourceOptions } from '@berth/plugin-api/testing'

const tree = (name: string): string => join(import.meta.dirname, 'trees', name)

/** Two GPUs, which nvidia-ctk names by number and by UUID. */
export const twoGpus: string = tree('two-gpus.tree')
/** A GPU with MIG devices, and one without. */
export const migMachine: string = tree('mig.tree')

/** Inputs of the test kit and of the benchmark, by the name of the plugin. */
export const samples: Readonly<Record<'nvidia-gpu', RunDeviceSourceOptions>> = {
  'nvidia-gpu': { args: { hostRoot: unpackedTree(twoGpus) } },
}
