import { join } from 'node:path'
import { unpackedTree } from '@berth/device-discovery/testing'
import type { RunDeviceSourceOptions } from '@berth/plugin-api/testing'

/** The fixture with two serial adapters and a camera. */
export const treeFile: string = join(import.meta.dirname, 'trees/serial-adapters.tree')

/** Inputs of the test kit and of the benchmark, by the name of the plugin. */
export const samples: Readonly<Record<'usb', RunDeviceSourceOptions>> = {
  usb: {
    args: { devices: [{ vendor: '0403' }, { vendor: '1a86' }], nodes: ['tty'], hostRoot: unpackedTree(treeFile) },
  },
}
