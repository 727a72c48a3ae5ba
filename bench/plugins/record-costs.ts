/** Measures the plugins without a recorded cost and records it, in a few seconds for each. Leaves recorded costs as they are. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { COSTS_FILE, readPluginCosts } from '@berth/tools/plugin-catalogue/plugin-costs'
import { measurePlugins, pluginCases, root } from './measure-plugins.ts'

const recorded = readPluginCosts(root)
const missing = (await pluginCases()).filter((name) => !recorded.has(name))
const progress = (line: string): void => console.error(line)
for (const measurement of measurePlugins(missing, { isQuick: false, progress })) {
  appendFileSync(join(root, COSTS_FILE), `${JSON.stringify(measurement)}\n`)
}
