import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/** The texts of the page. */
export interface PageTexts {
  readonly html: string
  readonly script: string
  readonly style: string
  readonly icon: string
}

/**
 * Bundles the page from its sources, with its libraries inside.
 *
 * @param folder - Path of the folder with the sources.
 */
export async function bundlePage(folder: string): Promise<PageTexts> {
  const { outputFiles } = await build({
    entryPoints: { script: join(folder, 'main.tsx'), style: join(folder, 'app.css') },
    bundle: true,
    write: false,
    outdir: folder,
    minify: true,
    charset: 'utf8',
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // Workspace packages need not be built.
    conditions: ['@berth/source'],
    legalComments: 'eof',
  })
  const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8')
  const bundled = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  return {
    html: textOf('index.html'),
    script: bundled('.js'),
    style: bundled('.css'),
    icon: textOf('icon.svg'),
  }
}
