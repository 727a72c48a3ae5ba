import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type BuildResult } from 'esbuild'
// @boundaries-ignore one text of the licences for all bundles
import { noticesOf } from '../../../../bundled-notices.ts'

/** The texts of the page. */
export interface PageTexts {
  readonly html: string
  readonly script: string
  readonly style: string
  readonly icon: string
  /** The licences of the libraries inside. */
  readonly licences: string
}

/**
 * Bundles the page from its sources, with its libraries inside.
 *
 * @param folder - Path of the folder with the sources.
 */
export async function bundlePage(folder: string): Promise<PageTexts> {
  const { outputFiles, metafile } = await buildPage(folder)
  const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8')
  const bundled = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  return {
    html: textOf('index.html'),
    script: bundled('.js'),
    style: bundled('.css'),
    icon: textOf('icon.svg'),
    licences: noticesOf(Object.keys(metafile.inputs)),
  }
}

/** Returns the paths of all files in the bundle of the page, relative to the working directory. */
export async function pageInputs(folder: string): Promise<readonly string[]> {
  return Object.keys((await buildPage(folder)).metafile.inputs)
}

function buildPage(folder: string): Promise<BuildResult<{ write: false; metafile: true }>> {
  return build({
    entryPoints: { script: join(folder, 'main.tsx'), style: join(folder, 'app.css') },
    bundle: true,
    write: false,
    metafile: true,
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
}
