import { join } from 'node:path'
import { unpackedTree } from '@berth/device-discovery/testing'
import type { RunResourceSourceOptions } from '@berth/plugin-api/testing'

const tree = (name: string): string => join(import.meta.dirname, 'trees', name)

/** A recorded virtual machine. */
export const virtualMachine: string = tree('virtual-machine.tree')
/** A constructed server with a bond, virtual functions, multipath and logical volumes. */
export const server: string = tree('server.tree')

const nodes = [{ metadata: { name: 'node-a' } }]
const hostRoot = unpackedTree(server)

/** Inputs of the test kit and of the benchmark, by the name of the plugin. */
export const samples: Readonly<Record<'disk-capacity' | 'nic-bandwidth', RunResourceSourceOptions>> = {
  'disk-capacity': { args: { hostRoot }, nodes },
  'nic-bandwidth': { args: { hostRoot }, nodes },
}
