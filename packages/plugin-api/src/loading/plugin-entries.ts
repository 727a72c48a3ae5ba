import { errorText } from '@berth/text/error-text'
import type { Logger } from '@berth/types'
import { readFile, readdir, stat } from 'node:fs/promises'
import { dirname, extname, join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PluginError } from '../errors.ts'

const archiveName = /\.(?:tgz|tar\.gz)$/
const moduleExtensions = new Set(['.js', '.mjs', '.ts', '.mts'])
const testOrDeclaration = /\.(?:test\.m?[jt]s|d\.m?ts)$/

/** One module to load. */
export interface PluginEntry {
  readonly path: string
  /** Directory of the file or of the package. Modules below it belong to the plugin. */
  readonly root: string
  /** Path in the plugin directory, for messages: that of the module, or of the archive that contains it. */
  readonly origin: string
}

/**
 * Lists the modules in a plugin directory, sorted by name: plain files, and the entry files of packages, which are
 * directories or archives of `npm pack`. Skips node_modules and hidden names, because a mounted ConfigMap or Secret keeps
 * its data under `..data`. Skips and logs tests (`*.test.ts`), type declarations and files of other types.
 *
 * @param unpackDir - Returns an empty directory to unpack archives into. Called only when there is an archive.
 * @param options.only - Name of the only file or package to list. Default: all.
 * @returns Absolute paths when `dir` is absolute.
 * @throws PluginError BERTH_PLUGIN_DIR, BERTH_PLUGIN_LOAD (a package without an entry, a link without a target).
 */
export async function pluginEntries(
  dir: string,
  unpackDir: () => Promise<string>,
  { only, log }: { readonly only?: string | undefined; readonly log?: Logger | undefined } = {},
): Promise<readonly PluginEntry[]> {
  const entries: PluginEntry[] = []
  for (const name of only === undefined ? await pluginNames(dir) : [only]) {
    const path = join(dir, name)
    const stats = await stat(path).catch((error: unknown) => {
      throw new PluginError(`load plugin from ${path}: ${errorText(error)}`, {
        code: 'BERTH_PLUGIN_LOAD',
        cause: error,
      })
    })
    if (stats.isDirectory()) {
      const entry = await packageEntry(path, path)
      entries.push({ path: entry, root: path, origin: entry })
    } else if (archiveName.test(name)) {
      // Imported lazily: few plugin directories contain an archive.
      const { unpackTarball } = await import('./unpack-tarball.ts')
      const root = join(await unpackDir(), name)
      await unpackTarball(path, root)
      entries.push({ path: await packageEntry(root, path), root, origin: path })
    } else if (moduleExtensions.has(extname(name)) && !testOrDeclaration.test(name)) {
      entries.push({ path, root: dir, origin: path })
    } else {
      log?.info({ path }, 'Skipped a file that is not a plugin')
    }
  }
  return entries
}

/**
 * Lists the names in a plugin directory that may be modules or packages, sorted.
 *
 * @throws PluginError BERTH_PLUGIN_DIR.
 */
export async function pluginNames(dir: string): Promise<readonly string[]> {
  const names = await readdir(dir).catch((error: unknown) => {
    throw new PluginError(`read plugin directory ${dir}: ${errorText(error)}`, {
      code: 'BERTH_PLUGIN_DIR',
      cause: error,
      hint: 'Check --plugin-dir.',
    })
  })
  return names.filter((name) => !name.startsWith('.') && name !== 'node_modules').toSorted()
}

/**
 * Finds an installed package by its name, as an `import` in one of the directories would.
 *
 * @param from - Directories to start from. The first that leads to the package counts.
 * @throws PluginError BERTH_PLUGIN_UNKNOWN when no directory leads to the package, BERTH_PLUGIN_LOAD when it has no entry.
 */
export async function moduleEntry(name: string, from: readonly string[]): Promise<PluginEntry> {
  // Imported lazily: the Node versions that the programs refuse do not export it.
  const { findPackageJSON } = await import('node:module')
  for (const dir of from) {
    try {
      const manifest = findPackageJSON(name, pathToFileURL(join(dir, sep)))
      if (manifest === undefined) continue
      const root = dirname(manifest)
      return { path: await packageEntry(root, name), root, origin: name }
    } catch (error) {
      if (error instanceof PluginError) throw error
    }
  }
  throw new PluginError(`load plugin module ${name}: no such package in ${from.join(' or ')}`, {
    code: 'BERTH_PLUGIN_UNKNOWN',
    hint: 'Install it there with "npm install", or name a package and not a file.',
  })
}

async function packageEntry(dir: string, origin: string): Promise<string> {
  const manifestPath = join(dir, 'package.json')
  let manifest: { readonly exports?: unknown; readonly main?: unknown } = {}
  try {
    manifest = (JSON.parse(await readFile(manifestPath, 'utf8')) as typeof manifest | null) ?? {}
  } catch (error) {
    const reason = errorText(error)
    throw new PluginError(`load plugin package ${origin}: its package.json cannot be read: ${reason}`, {
      code: 'BERTH_PLUGIN_LOAD',
      cause: error,
    })
  }
  const target = rootExport(manifest.exports) ?? (typeof manifest.main === 'string' ? manifest.main : undefined)
  if (target === undefined) {
    throw new PluginError(`load plugin package ${origin}: its package.json has no entry`, {
      code: 'BERTH_PLUGIN_LOAD',
      hint: 'Add "exports": "./plugin.js".',
    })
  }
  const entry = join(dir, target)
  if (!entry.startsWith(join(dir, sep))) {
    throw new PluginError(`load plugin package ${origin}: its entry ${target} is outside of it`, {
      code: 'BERTH_PLUGIN_LOAD',
    })
  }
  return entry
}

// The conditions that Node uses for an import. The first match wins.
function rootExport(exported: unknown): string | undefined {
  if (typeof exported === 'string') return exported
  if (typeof exported !== 'object' || exported === null) return undefined
  const table = exported as Readonly<Record<string, unknown>>
  if (Object.hasOwn(table, '.')) return rootExport(table['.'])
  for (const [condition, target] of Object.entries(table)) {
    if (!['node', 'import', 'module-sync', 'default'].includes(condition)) continue
    const found = rootExport(target)
    if (found !== undefined) return found
  }
  return undefined
}
