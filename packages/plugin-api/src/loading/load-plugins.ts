import { systemClock, withDeadline } from '@berth/clock'
import { errorText } from '@berth/text/error-text'
import { firstLine } from '@berth/text/first-line'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Logger } from '@berth/types'
import { PluginError } from '../errors.ts'
import type { BerthPlugin, PluginKind } from '../contract/berth-plugin.ts'
import { currentApiVersion, statedApiVersion } from '../contract/api-version.ts'
import { checkPlugin } from './check-plugin.ts'
import { importFromDisk } from './import-from-disk.ts'
import { moduleEntry, type PluginEntry, pluginEntries } from './plugin-entries.ts'
import { createPluginRegistry } from './plugin-registry.ts'
import type { PluginWithOrigin, PluginRegistry } from './plugin-registry.ts'

/** Options of {@link loadPlugins}. */
export interface LoadPluginsOptions {
  /** Plugin directory, from --plugin-dir. Omit to use built-in plugins only. */
  readonly dir?: string | undefined
  /** --plugin-modules: names of installed packages, which are found from `dir` and from `cwd`. Default: none. */
  readonly modules?: readonly string[]
  /** Default: the working directory. */
  readonly cwd?: string
  /** The kinds that this program can use. Plugins of other kinds are skipped and logged. */
  readonly kinds: readonly PluginKind[]
  /** First-party plugins, from `main.ts`. */
  readonly builtIn: readonly BerthPlugin[]
  readonly log: Logger
  /** Timeout for the top level of one module, in milliseconds. Default: 10 000. */
  readonly deadlineMs?: number
  /** Default: Node's own import. */
  readonly importModule?: (url: string) => Promise<unknown>
}

/**
 * Loads the built-in plugins, installed packages by name, and the plugins of a directory: modules (.js, .mjs, .ts),
 * packages, and archives of packages (.tgz), each exporting `plugin` or `plugins`. Archives are unpacked into a temporary
 * directory, which is removed when their modules are loaded. One broken module is an error, because a program that starts
 * without a rule would ignore it.
 * Plugins run with the rights of the program, so write access to the directory is control of the program.
 *
 * @throws PluginError BERTH_PLUGIN_DIR, BERTH_PLUGIN_UNKNOWN (a package that is not installed), BERTH_PLUGIN_LOAD,
 *   BERTH_PLUGIN_SHAPE, BERTH_PLUGIN_VERSION, BERTH_PLUGIN_DUPLICATE. Each names the file and the reason.
 */
export async function loadPlugins(options: LoadPluginsOptions): Promise<PluginRegistry> {
  const { dir, kinds, builtIn, log } = options
  const own = builtIn.map((plugin) => ({ plugin: checkPlugin(plugin, 'built in'), origin: 'built in' }))
  const found = dir === undefined ? [] : await importDirectory(resolve(dir), options)
  const named = await importPackages(options)
  const usable = [...own, ...found, ...named].filter(({ plugin, origin }) => {
    if (kinds.includes(plugin.kind)) return true
    log.info({ plugin: plugin.name, kind: plugin.kind, origin }, 'Skipped a plugin of another kind')
    return false
  })
  for (const { plugin, origin } of usable) {
    if (origin === 'built in') continue
    const apiVersion = statedApiVersion(plugin.apiVersion)
    const fields = { plugin: plugin.name, kind: plugin.kind, apiVersion, origin }
    if (apiVersion === currentApiVersion) log.info(fields, 'Plugin loaded')
    else log.warn(fields, 'Plugin of the previous contract version loaded')
  }
  return createPluginRegistry(usable)
}

/** How modules are imported; see {@link LoadPluginsOptions}. */
export type ImportOptions = Pick<LoadPluginsOptions, 'deadlineMs' | 'importModule'> & {
  /** Omit to skip files that are not plugins silently. */
  readonly log?: Logger
}

/**
 * Imports the plugins of a directory.
 *
 * @param only - Name of the only file or package to import. Default: all.
 * @throws PluginError with the codes of {@link loadPlugins}.
 */
export async function importDirectory(
  dir: string,
  options: ImportOptions,
  only?: string,
): Promise<readonly PluginWithOrigin[]> {
  let unpacked: string | undefined
  try {
    const unpackDir = async (): Promise<string> => (unpacked ??= await temporaryDirectory())
    const entries = await pluginEntries(dir, unpackDir, { only, log: options.log })
    return await importEntries(dir, entries, options)
  } finally {
    if (unpacked !== undefined) await rm(unpacked, { recursive: true })
  }
}

async function importPackages(options: LoadPluginsOptions): Promise<readonly PluginWithOrigin[]> {
  const { modules = [], dir, cwd = process.cwd() } = options
  if (modules.length === 0) return []
  const from = dir === undefined ? [cwd] : [resolve(dir), cwd]
  const entries = await Promise.all(modules.map((name) => moduleEntry(name, from)))
  return await importEntries(undefined, entries, options)
}

async function temporaryDirectory(): Promise<string> {
  return await mkdtemp(join(tmpdir(), 'berth-plugins-')).catch((error: unknown) => {
    throw new PluginError(`create a directory to unpack plugins in ${tmpdir()}: ${errorText(error)}`, {
      code: 'BERTH_PLUGIN_LOAD',
      cause: error,
      hint: 'Set TMPDIR to a directory that this program can write to.',
    })
  })
}

async function importEntries(
  dir: string | undefined,
  entries: readonly PluginEntry[],
  options: ImportOptions,
): Promise<readonly PluginWithOrigin[]> {
  // Modules are identified by their real paths, and files and packages may be symbolic links.
  const roots = new Set(dir === undefined ? [] : [dir, await realpath(dir)])
  for (const { path, root } of entries) {
    roots.add(root === dir ? dirname(await realpath(path)) : await realpath(root))
  }
  // Imported lazily: it contains all of zod, which a program without a plugin directory does not need.
  const { hostModules } = await import('./host-modules.ts')
  const stopHosting = hostModules([...roots])
  try {
    const plugins: PluginWithOrigin[] = []
    for (const entry of entries) plugins.push(...(await pluginsOfModule(entry, options)))
    return plugins
  } finally {
    stopHosting()
  }
}

async function pluginsOfModule(
  { path, origin }: PluginEntry,
  { deadlineMs = 10_000, importModule = importFromDisk }: ImportOptions,
): Promise<readonly PluginWithOrigin[]> {
  let exported: { readonly plugin?: unknown; readonly plugins?: unknown }
  try {
    const lateError = (): Error => new Error(`its top level did not end within ${deadlineMs} ms`)
    exported = (await withDeadline({ clock: systemClock(), deadlineMs, lateError }, () =>
      importModule(pathToFileURL(path).href),
    )) as typeof exported
  } catch (error) {
    throw loadError(
      origin,
      error instanceof Error ? `${error.name}: ${firstLine(error.message)}` : String(error),
      error,
    )
  }
  const { plugin, plugins } = exported
  if (plugins !== undefined && !Array.isArray(plugins)) throw loadError(origin, 'its export `plugins` is not a list')
  const values = [...(plugin === undefined ? [] : [plugin]), ...((plugins as readonly unknown[] | undefined) ?? [])]
  if (values.length === 0) throw loadError(origin, 'it exports neither `plugin` nor `plugins`')
  return values.map((value) => ({ plugin: checkPlugin(value, origin), origin }))
}

function loadError(origin: string, reason: string, cause?: unknown): PluginError {
  return new PluginError(`load plugin from ${origin}: ${reason}`, {
    code: 'BERTH_PLUGIN_LOAD',
    cause,
    hint:
      cause instanceof SyntaxError
        ? `"node --check FILE" shows the line.`
        : 'A plugin is an ES module that exports `plugin` or `plugins`. See docs/guides/write-a-plugin.md.',
  })
}
