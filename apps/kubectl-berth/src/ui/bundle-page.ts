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
    entryPoints: [join(folder, 'main.tsx')],
    bundle: true,
    write: false,
    minify: true,
    charset: 'utf8',
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'eof',
  })
  const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8')
  return {
    html: textOf('index.html'),
    script: outputFiles[0]?.text ?? '',
    style: textOf('app.css'),
    icon: textOf('icon.svg'),
  }
}
