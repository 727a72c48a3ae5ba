import { join } from 'node:path'
import { costCase, NO_PLUGIN } from '@berth/tools/plugin-catalogue/plugin-costs'
import { readPluginPackages, registryOf } from '@berth/tools/plugin-catalogue/plugin-packages'
import type { BenchOptions, Measurement } from '../measurement.ts'
import { summarize } from '../statistics.ts'
import { timeInOwnProcesses } from '../time-in-own-processes.ts'

/** Root of the repository. */
export const root = join(import.meta.dirname, '../..')
const timePlugin = join(import.meta.dirname, 'time-plugin.ts')

/** Lists the cases of the benchmark `plugins`: one without a plugin, and one for each plugin of this repository. */
export async function pluginCases(): Promise<readonly string[]> {
  const registry = await registryOf(await readPluginPackages(root))
  return [NO_PLUGIN, ...registry.list().map((listing) => costCase(listing))]
}

/**
 * Measures some cases of the benchmark `plugins`, each in a process of its own.
 *
 * @throws WrongResultError when the results of a plugin are wrong.
 */
export function measurePlugins(cases: readonly string[], options: BenchOptions): readonly Measurement[] {
  const times = timeInOwnProcesses([timePlugin], cases, options)
  return Array.from(times, ([name, all]) => ({ bench: 'plugins', case: name, unit: 'us', ...summarize(all) }))
}
