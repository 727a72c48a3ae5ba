import { errorText } from '@berth/text/error-text'
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { BerthPlugin } from '../contract/berth-plugin.ts'
import { PluginError } from '../errors.ts'
import { importDirectory, type ImportOptions } from './load-plugins.ts'
import { pluginNames } from './plugin-entries.ts'

/** One module of a plugin directory, with its plugins or the reason why a program would refuse it. */
export interface InspectedModule {
  readonly path: string
  /** Empty when there is a problem. */
  readonly plugins: readonly BerthPlugin[]
  readonly problem?: PluginError
}

/** Options of {@link inspectPlugins}. */
interface InspectOptions extends ImportOptions {
  /** Whether the path is a plugin directory. Default: whether it is a directory without a package.json. */
  readonly isPluginDir?: boolean
}

/**
 * Loads a plugin file, a package, or all of a plugin directory, as {@link loadPlugins} does, but continues after a module
 * that does not load.
 *
 * @throws PluginError BERTH_PLUGIN_DIR when the path cannot be read.
 */
export async function inspectPlugins(path: string, options: InspectOptions = {}): Promise<readonly InspectedModule[]> {
  const absolute = resolve(path)
  const stats = await stat(absolute).catch((error: unknown) => {
    throw new PluginError(`read ${path}: ${errorText(error)}`, {
      code: 'BERTH_PLUGIN_DIR',
      cause: error,
      hint: 'Check the path.',
    })
  })
  const { isPluginDir = stats.isDirectory() && !existsSync(join(absolute, 'package.json')) } = options
  const dir = isPluginDir ? absolute : dirname(absolute)
  const modules: InspectedModule[] = []
  for (const name of isPluginDir ? await pluginNames(dir) : [basename(absolute)]) {
    const shown = isPluginDir ? join(path, name) : path
    try {
      const plugins = (await importDirectory(dir, options, name)).map(({ plugin }) => plugin)
      if (plugins.length > 0) modules.push({ path: shown, plugins })
      else if (!isPluginDir) throw notAModule(path)
    } catch (error) {
      if (!(error instanceof PluginError)) throw error
      modules.push({ path: shown, plugins: [], problem: error })
    }
  }
  return modules
}

function notAModule(path: string): PluginError {
  return new PluginError(
    `load plugin from ${path}: it is not a .js, .mjs, .ts or .mts file (tests are skipped), a package or a .tgz archive`,
    {
      code: 'BERTH_PLUGIN_LOAD',
      hint: 'A plugin is an ES module that exports `plugin` or `plugins`. See docs/guides/write-a-plugin.md.',
    },
  )
}
