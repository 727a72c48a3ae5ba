import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '../../..')

/** A directory for `--plugin-dir`. Disposing it deletes the directory. */
export interface PluginDirectory extends Disposable {
  readonly path: string
}

/**
 * Makes a plugin directory with one plugin package of this repository, from its sources: no build is needed.
 *
 * @param folder - Folder of the package, relative to the root of the repository.
 */
export function pluginDirectory(folder: string): PluginDirectory {
  const path = mkdtempSync(join(tmpdir(), 'berth-plugins-'))
  const source = pathToFileURL(join(root, folder, 'src/index.ts')).href
  writeFileSync(join(path, 'plugin.ts'), `export * from '${source}'\n`)
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) }
}
