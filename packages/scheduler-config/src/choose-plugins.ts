import { ConfigError } from '@berth/process/errors'
import {
  type ExtensionPoint,
  extensionPoints,
  type PluginSet,
  type ProfileEntry,
} from './kube-scheduler-configuration.ts'

/** A plugin of a profile with the extension points at which it runs. */
export interface ChosenPlugin {
  readonly name: string
  readonly points: ReadonlySet<ExtensionPoint>
  /**
   * By extension point, the path of the entry that enables the plugin there. Entries of multiPoint are not included.
   */
  readonly enabledAt: ReadonlyMap<ExtensionPoint, string>
  /**
   * Weight of its scores; undefined: the default weight of the plugin. An entry of the configuration without a weight
   * counts as 1, as in kube-scheduler, also for a plugin whose default weight is higher.
   */
  readonly weight: number | undefined
  /** Path of the entry in the configuration; undefined for a default plugin that the configuration does not name. */
  readonly path: string | undefined
}

/** The plugins of a profile and the order in which they run. */
export interface ChosenPlugins {
  readonly plugins: ReadonlyMap<string, ChosenPlugin>
  /** Names by extension point, in running order; a plugin may lack a hook there. */
  readonly order: ReadonlyMap<ExtensionPoint, readonly string[]>
}

interface Entry {
  readonly name: string
  readonly weight: number | undefined
  readonly path: string | undefined
}

/**
 * Merges the plugin sets of a profile with the default plugins. As in kube-scheduler, the order at each extension point
 * is:
 * 1. the multiPoint plugins that the point lists too, in the order of the point,
 * 2. the other multiPoint plugins,
 * 3. the other plugins of the point.
 *
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_PROFILE when a list names a plugin twice.
 * @see kubernetes/kubernetes pkg/scheduler/apis/config/v1/default_plugins.go mergePluginSet and
 * pkg/scheduler/framework/runtime/framework.go expandMultiPointPlugins, getValidScoreWeights (v1.36)
 */
export function choosePlugins(
  plugins: NonNullable<ProfileEntry['plugins']>,
  { defaults, path }: { readonly defaults: readonly string[]; readonly path: string },
): ChosenPlugins {
  const everywhere = multiPointEntries(plugins.multiPoint, defaults, `${path}.multiPoint`)
  const scored = entriesOf(plugins.score, `${path}.score`)
  const order = new Map<ExtensionPoint, readonly string[]>()
  const chosen = new Map<
    string,
    ChosenPlugin & { points: Set<ExtensionPoint>; enabledAt: Map<ExtensionPoint, string> }
  >()
  for (const point of extensionPoints) {
    const listed = entriesOf(plugins[point], `${path}.${point}`)
    const names = orderAt(plugins[point], [...everywhere.keys()], [...listed.keys()])
    order.set(point, names)
    for (const name of names) {
      const entry = listed.get(name) ?? everywhere.get(name)
      const known = chosen.get(name) ?? {
        name,
        points: new Set<ExtensionPoint>(),
        enabledAt: new Map<ExtensionPoint, string>(),
        weight: (scored.get(name) ?? everywhere.get(name))?.weight,
        path: everywhere.get(name)?.path ?? entry?.path,
      }
      known.points.add(point)
      const entryPath = listed.get(name)?.path
      if (entryPath !== undefined) known.enabledAt.set(point, entryPath)
      chosen.set(name, known)
    }
  }
  return { plugins: chosen, order }
}

/** Returns the default plugins that are not disabled, with the entries that replace them, then the other entries. */
function multiPointEntries(
  set: PluginSet | undefined,
  defaults: readonly string[],
  path: string,
): ReadonlyMap<string, Entry> {
  const own = entriesOf(set, path)
  const kept = defaults.filter((name) => !isDisabled(set, name))
  const replaced = kept.map((name) => [name, own.get(name) ?? { name, weight: undefined, path: undefined }] as const)
  return new Map([...replaced, ...own])
}

function orderAt(
  set: PluginSet | undefined,
  everywhere: readonly string[],
  listed: readonly string[],
): readonly string[] {
  const expanded = everywhere.filter((name) => !isDisabled(set, name))
  return [
    ...listed.filter((name) => expanded.includes(name)),
    ...expanded.filter((name) => !listed.includes(name)),
    ...listed.filter((name) => !expanded.includes(name)),
  ]
}

function isDisabled(set: PluginSet | undefined, name: string): boolean {
  return set?.disabled.some((entry) => entry.name === '*' || entry.name === name) ?? false
}

function entriesOf(set: PluginSet | undefined, path: string): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>()
  for (const [i, { name, weight = 0 }] of (set?.enabled ?? []).entries()) {
    const entryPath = `${path}.enabled[${i}]`
    const first = entries.get(name)
    if (first !== undefined) {
      throw new ConfigError(`read ${entryPath}: plugin ${name} is listed in ${first.path} already`, {
        code: 'BERTH_SCHEDULER_CONFIG_PROFILE',
      })
    }
    entries.set(name, { name, weight: weight === 0 ? 1 : weight, path: entryPath })
  }
  return entries
}
