import { join } from 'node:path'
import { defineConfig } from 'tsup'
// @boundaries-ignore one build setting for all apps
import { bundle } from '../../tsup.base.ts'
import { collectPluginTypes } from './src/plugin/collect-plugin-types.ts'
import { bundlePage, pageInputs } from './src/ui/bundle-page.ts'

const page = join(import.meta.dirname, 'src/ui/page')
const generatedTexts: NonNullable<Parameters<typeof bundle>[1]>['esbuildPlugins'] = [
  {
    name: 'plugin-types',
    setup(build) {
      build.onLoad({ filter: /\/plugin-types\.ts$/ }, () => {
        const text = collectPluginTypes(join(import.meta.dirname, 'node_modules'))
        return { contents: `export const pluginTypes = () => ${JSON.stringify(text)}` }
      })
    },
  },
  {
    name: 'page-texts',
    setup(build) {
      build.onLoad({ filter: /\/page-texts\.ts$/ }, async () => ({
        contents: `export const pageTexts = async () => (${JSON.stringify(await bundlePage(page))})`,
      }))
    },
  },
]

const single = bundle('esm', { esbuildPlugins: generatedTexts }, () => pageInputs(page))

export default defineConfig([
  { ...single, clean: ['!parts/**'] },
  // Compiling the single file takes longer than most answers. A command loads only the parts that it needs.
  { ...single, outDir: 'dist/parts', splitting: true },
])
