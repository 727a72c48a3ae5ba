import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { join } from 'node:path'
import type { Options } from 'tsup'
import { noticesOf } from './bundled-notices.ts'

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number]

const OLDEST_NODE = 24

/** Runs before anything of the bundle: an older Node would fail somewhere in the middle of it. */
const refuseOldNode = [
  `if (Number.parseInt(process.versions.node, 10) < ${OLDEST_NODE}) {`,
  `process.stderr.write("Berth needs Node ${OLDEST_NODE} or newer; this is " + process.version + ".\\nIn a checkout of Berth there is one: npx -- node FILE\\n");`,
  'process.exit(2) }',
].join(' ')

const require = createRequire(import.meta.url)

/**
 * Reads only those exports of Node's modules that the bundle uses. An `import` of such a module reads every export, and with
 * those of http, crypto and fs Node loads its fetch, web streams and web cryptography: 4 MiB in each process.
 */
const onlyUsedBuiltins: EsbuildPlugin = {
  name: 'only-used-builtins',
  setup(build) {
    build.onResolve({ filter: /^[a-z]/ }, ({ path, kind, namespace }) => {
      if (!isBuiltin(path)) return undefined
      if (kind !== 'import-statement' || namespace === 'builtin') return { path, external: true }
      return { path, namespace: 'builtin', sideEffects: false }
    })
    build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => {
      const names = Object.getOwnPropertyNames(require(path)).filter((name) => /^[A-Za-z_]\w*$/.test(name))
      // A call that is marked as pure is left out where its result is not used.
      const contents = [
        `const $all = /* @__PURE__ */ require("${path}");`,
        'const $read = (name) => $all[name];',
        'export default $all;',
        ...names
          .filter((name) => name !== 'default')
          .map((name) => `export const ${name} = /* @__PURE__ */ $read("${name}");`),
      ]
      return { contents: contents.join('\n'), loader: 'js' }
    })
  },
}

/**
 * An additional entry of an app: client-node in a file of its own, which only a kubeconfig with a credential plugin loads. The
 * text of a bundle stays in memory, and client-node is more than half of it.
 */
export const clientNodeApart = { 'new-kube-config': '../../packages/k8s-client/src/access/new-kube-config.ts' }

const loadClientNodeApart: EsbuildPlugin = {
  name: 'client-node-apart',
  setup(build) {
    build.onResolve({ filter: /\/new-kube-config\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './new-kube-config.js', external: true } : undefined,
    )
  },
}

/**
 * Writes NOTICES.txt beside the bundle: the licences and notices of all packages in it, and the notices that its files ask to
 * keep, such as those of code that a package copied.
 *
 * @param furtherInputs - Returns paths of files that are in the bundle as a text.
 */
function writeNotices(furtherInputs: () => Promise<readonly string[]>): EsbuildPlugin {
  return {
    name: 'notices',
    setup(build) {
      build.initialOptions.metafile = true
      build.onEnd(async ({ metafile, outputFiles }) => {
        const { outdir = '.' } = build.initialOptions
        const packages = noticesOf([...Object.keys(metafile?.inputs ?? {}), ...(await furtherInputs())])
        const comments = (outputFiles ?? []).filter(({ path }) => path.endsWith('.LEGAL.txt')).map(({ text }) => text)
        mkdirSync(outdir, { recursive: true })
        writeFileSync(join(outdir, 'NOTICES.txt'), [packages, ...comments.toSorted()].join('\n'))
      })
    },
  }
}

/**
 * One file per app, with every dependency inside: an image then holds Node and this file, nothing else. Further entries of
 * `options` become files beside it.
 *
 * @param furtherInputs - Returns paths of files that are in the bundle as a text.
 */
export function bundle(
  format: 'esm' | 'cjs',
  options: Options = {},
  furtherInputs: () => Promise<readonly string[]> = () => Promise.resolve([]),
): Options {
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
    // It would resolve Node's modules before the plugins.
    removeNodeProtocol: false,
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
    ...options,
    esbuildPlugins: [...basePlugins(format, options), ...(options.esbuildPlugins ?? []), writeNotices(furtherInputs)],
  }
}

function basePlugins(format: 'esm' | 'cjs', options: Options): readonly EsbuildPlugin[] {
  return [
    // In CommonJS, nothing but require() is left.
    ...(format === 'esm' ? [onlyUsedBuiltins] : []),
    ...(Object.keys(options.entry ?? {}).includes('new-kube-config') ? [loadClientNodeApart] : []),
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
  ]
}
