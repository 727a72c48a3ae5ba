import type { Bench } from '../measurement.ts'
import { measurePlugins, pluginCases } from './measure-plugins.ts'

/** Measures each plugin of this repository. */
export const pluginsBench: Bench = {
  name: 'plugins',
  summary: 'each plugin of this repository, over 5,000 nodes',
  run: async (options) => measurePlugins(await pluginCases(), options),
}
