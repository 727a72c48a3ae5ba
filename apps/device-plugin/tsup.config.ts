import { defineConfig } from 'tsup'
// @boundaries-ignore one build setting for all apps
import { bundle } from '../../tsup.base.ts'

const base = bundle('cjs')

/** The device plugin runs on every node, and V8 keeps the text of the bundle in memory: without line breaks and indentation. */
export default defineConfig({
  ...base,
  esbuildOptions(options, context) {
    base.esbuildOptions?.(options, context)
    options.minifyWhitespace = true
    options.minifySyntax = true
  },
  esbuildPlugins: [
    {
      // A tenth of the bundle is Zod's messages in fifty languages. Berth's messages are English.
      name: 'english-messages',
      setup(build) {
        build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.c?js$/ }, ({ path }) => ({
          contents: "export { default as en } from './en.js'",
          loader: 'js',
          resolveDir: path.replace(/index\.c?js$/, ''),
        }))
      },
    },
  ],
})
