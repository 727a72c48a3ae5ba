import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BerthPlugin, loadPlugins, pluginKinds, type PluginRegistry } from '@berth/plugin-api'
import { silentLogger } from '@berth/types'

/** A package of this repository with plugins, and the files that its authors must provide. */
export interface PluginPackage {
  /** Relative to the root of the repository. */
  readonly folder: string
  readonly plugins: readonly BerthPlugin[]
  /** Undefined if the package has no README.md. */
  readonly readme: string | undefined
  /** Texts of the test files. */
  readonly tests: readonly string[]
  /** Inputs of the test kit, by the name of the plugin: the export `samples` of test/sample.ts. The benchmark uses them, too. */
  readonly samples: Readonly<Record<string, object>>
  /** The end-to-end checks that `berth.scenarios` in package.json names: path -> text, undefined for a missing file. */
  readonly scenarios: ReadonlyMap<string, string | undefined>
}

const packageFiles = '{plugins,examples/plugins}/*/package.json'

/** Reads every package with plugins, sorted by folder. @throws Error naming a module that cannot be imported. */
export async function readPluginPackages(root: string): Promise<readonly PluginPackage[]> {
  const folders = globSync(packageFiles, { cwd: root }).map((file) => dirname(file))
  return await Promise.all(folders.toSorted().map((folder) => readPluginPackage(root, folder)))
}

async function readPluginPackage(root: string, folder: string): Promise<PluginPackage> {
  const path = (...parts: readonly string[]): string => join(root, folder, ...parts)
  const { plugin, plugins = [] } = await exportsOf<{ plugin?: BerthPlugin; plugins?: readonly BerthPlugin[] }>(
    path('src/index.ts'),
  )
  const { samples = {} } = await exportsOf<Partial<Pick<PluginPackage, 'samples'>>>(path('test/sample.ts'))
  const { berth } = JSON.parse(readFileSync(path('package.json'), 'utf8')) as {
    readonly berth?: { readonly scenarios?: readonly string[] }
  }
  return {
    folder,
    plugins: [...(plugin === undefined ? [] : [plugin]), ...plugins],
    readme: textOf(path('README.md')),
    tests: globSync('{src,test}/**/*.test.ts', { cwd: path() }).map((file) => readFileSync(path(file), 'utf8')),
    samples,
    scenarios: new Map((berth?.scenarios ?? []).map((file) => [file, textOf(join(root, file))])),
  }
}

async function exportsOf<T extends object>(file: string): Promise<Partial<T>> {
  return existsSync(file) ? ((await import(/* @vite-ignore */ pathToFileURL(file).href)) as T) : {}
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** Loads the plugins of all packages through the loader of the apps, which checks their contract. */
export async function registryOf(packages: readonly PluginPackage[]): Promise<PluginRegistry> {
  const builtIn = packages.flatMap(({ plugins }) => plugins)
  return await loadPlugins({ builtIn, kinds: pluginKinds, log: silentLogger })
}
