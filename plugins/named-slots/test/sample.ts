import { join } from 'node:path'
import type { RunDeviceSourceOptions } from '@berth/plugin-api/testing'

/** The fixture with one accelerator. */
export const treeFile: string = join(import.meta.dirname, 'trees/accelerator.tree')

/** Inputs of the test kit and of the benchmark, by the name of the plugin. */
export const samples: Readonly<Record<'named-slots', RunDeviceSourceOptions>> = {
  'named-slots': {
    args: {
      slots: ['alice', 'bob'].map((name) => ({ name, env: { SEAT: name } })),
      deviceNodes: [{ path: '/dev/null' }],
    },
  },
}
