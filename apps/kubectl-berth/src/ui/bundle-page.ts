import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'

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
  const { outputFiles, metafile } = await build({
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
  const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8')
  const bundled = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  return {
    html: textOf('index.html'),
    script: bundled('.js'),
    style: bundled('.css'),
    icon: textOf('icon.svg'),
    licences: licencesOf(Object.keys(metafile.inputs)),
  }
}

/**
 * Returns the licence of each package of these files, with its name.
 *
 * @throws Error for a package without a licence file.
 */
function licencesOf(files: readonly string[]): string {
  const folders = files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(resolve(file)) ?? [])
  const texts = [...new Set(folders)].map((folder) => {
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const [licence] = globSync(join(folder, 'LICENSE*'))
    if (licence === undefined) throw new Error(`the package ${name} has no licence file`)
    return `${name}\n\n${readFileSync(licence, 'utf8').trim()}\n`
  })
  return texts.toSorted((a, b) => (a < b ? -1 : 1)).join(`\n${'-'.repeat(80)}\n\n`)
}
