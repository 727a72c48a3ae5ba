import { readFileSync } from 'node:fs'
import type { Options } from 'tsup'

const OLDEST_NODE = 24

/** Runs before anything of the bundle: an older Node would fail somewhere in the middle of it. */
const refuseOldNode = [
  `if (Number.parseInt(process.versions.node, 10) < ${OLDEST_NODE}) {`,
  `process.stderr.write("Berth needs Node ${OLDEST_NODE} or newer; this is " + process.version + ".\\nIn a checkout of Berth there is one: npx -- node FILE\\n");`,
  'process.exit(2) }',
].join(' ')

/** One file per app, with every dependency inside: an image then holds Node and this file, nothing else. */
export function bundle(format: 'esm' | 'cjs', options: Options = {}): Options {
  return {
    entry: { main: 'src/main.ts' },
    format,
    platform: 'node',
    // Older than what runs, so that an older Node can read as far as the refusal.
    target: 'node20',
    // Bundles everything except a megabyte of text that only `kubectl explain` on the embedded cluster shows.
    noExternal: [/^(?!@berth\/kube-schema\/descriptions$)/],
    external: ['@berth/kube-schema/descriptions'],
    splitting: false,
    sourcemap: true,
    clean: true,
    dts: false,
    silent: true,
    esbuildOptions: (esbuild) => {
      esbuild.conditions = ['@berth/source', 'node', 'import', 'default']
      // Node keeps the text of the bundle in memory, with two bytes for each character if one of them is not Latin-1. Names
      // stay as they are, for stack traces.
      esbuild.minifyWhitespace = true
      esbuild.minifySyntax = true
      esbuild.charset = 'ascii'
      esbuild.legalComments = 'external'
    },
    banner: {
      js:
        format === 'cjs'
          ? refuseOldNode
          : // CommonJS dependencies inside an ESM bundle call require(), which ESM does not have.
            `import { createRequire as __berthRequire } from 'node:module'; ${refuseOldNode} const require = __berthRequire(import.meta.url);`,
    },
    esbuildPlugins: [
      {
        // 300 KB of each bundle would be Zod's messages in fifty languages. Berth's messages are English.
        name: 'english-messages',
        setup(build) {
          build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.c?js$/ }, ({ path }) => ({
            contents: "export { default as en } from './en.js'",
            loader: 'js',
            resolveDir: path.replace(/index\.c?js$/, ''),
          }))
        },
      },
      {
        // esbuild escapes strings and names, but not regular expressions. This is the only one that is not ASCII.
        name: 'ascii-durations',
        setup(build) {
          build.onLoad({ filter: /[\\/]cel-js[\\/]lib[\\/]functions\.js$/ }, ({ path }) => ({
            contents: readFileSync(path, 'utf8').replaceAll('µ', String.raw`\u00b5`),
            loader: 'js',
          }))
        },
      },
    ],
    ...options,
  }
}
