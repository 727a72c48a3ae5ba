import { join } from 'node:path'
import { defineConfig } from 'tsup'
// @boundaries-ignore one build setting for all apps
import { bundle } from '../../tsup.base.ts'
import { collectPluginTypes } from './src/plugin/collect-plugin-types.ts'

const typesAsText: NonNullable<Parameters<typeof bundle>[1]>['esbuildPlugins'] = [
  {
    name: 'plugin-types',
    setup(build) {
      build.onLoad({ filter: /\/plugin-types\.ts$/ }, () => {
        const text = collectPluginTypes(join(import.meta.dirname, 'node_modules'))
        return { contents: `export const pluginTypes = () => ${JSON.stringify(text)}` }
      })
    },
  },
]

export default defineConfig(bundle('esm', { esbuildPlugins: typesAsText }))
