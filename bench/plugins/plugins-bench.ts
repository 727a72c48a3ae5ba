import { join } from 'node:path'
import { costCase, NO_PLUGIN } from '@berth/tools/plugin-catalogue/plugin-costs'
import { readPluginPackages, registryOf } from '@berth/tools/plugin-catalogue/plugin-packages'
import type { Bench, BenchOptions, Measurement } from '../measurement.ts'
import { summarize } from '../statistics.ts'
import { timeInOwnProcesses } from '../time-in-own-processes.ts'

const root = join(import.meta.dirname, '../..')
const timePlugin = join(import.meta.dirname, 'time-plugin.ts')

async function run(options: BenchOptions): Promise<readonly Measurement[]> {
  const registry = await registryOf(await readPluginPackages(root))
  const names = [NO_PLUGIN, ...registry.list().map((listing) => costCase(listing))]
  const times = timeInOwnProcesses([timePlugin], names, options)
  return Array.from(times, ([name, all]) => ({ bench: 'plugins', case: name, unit: 'us', ...summarize(all) }))
}

/** Measures each plugin of this repository. */
export const pluginsBench: Bench = {
  name: 'plugins',
  summary: 'each plugin of this repository, over 5,000 nodes',
  run,
}
