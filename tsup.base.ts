import type { Options } from 'tsup'

/** One file per app, with every dependency inside: an image then holds Node and this file, nothing else. */
export function bundle(format: 'esm' | 'cjs', options: Options = {}): Options {
  return {
    entry: { main: 'src/main.ts' },
    format,
    platform: 'node',
    target: 'node24',
    noExternal: [/.*/],
    splitting: false,
    sourcemap: true,
    clean: true,
    dts: false,
    silent: true,
    esbuildOptions: (esbuild) => {
      esbuild.conditions = ['@berth/source', 'node', 'import', 'default']
    },
    // CommonJS dependencies inside an ESM bundle call require(), which ESM does not have.
    ...(format === 'esm' && {
      banner: {
        js: "import { createRequire as __berthRequire } from 'node:module'; const require = __berthRequire(import.meta.url);",
      },
    }),
    ...options,
  }
}
