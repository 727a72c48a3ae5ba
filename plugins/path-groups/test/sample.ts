import { join } from 'node:path'
import type { RunDeviceSourceOptions } from '@berth/plugin-api/testing'

/** The fixture with cards that have several nodes. */
export const treeFile: string = join(import.meta.dirname, 'trees/two-cards.tree')

/** Inputs of the test kit and of the benchmark, by the name of the plugin. */
export const samples: Readonly<Record<'path-groups', RunDeviceSourceOptions>> = {
  'path-groups': { args: { paths: [{ path: '/dev/null' }, { path: '/dev/ze{key}' }], idPrefix: 'pair' } },
}
