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
  /** Paths of the entries that enable the plugin at one extension point, by point; multiPoint is not among them. */
  readonly enabledAt: ReadonlyMap<ExtensionPoint, string>
  /** Undefined: the default weight of the plugin. */
  readonly weight: number | undefined
  /** Path of the entry in the configuration; undefined for a default plugin that the configuration does not name. */
  readonly path: string | undefined
}

/** Plugins of kube-scheduler that are part of this scheduler and always run. Naming them has no effect. */
const alwaysOn: ReadonlySet<string> = new Set(['PrioritySort', 'DefaultBinder', 'SchedulingGates'])

/** Merges the plugin sets of a profile into one list, in the order in which the plugins run. */
export function choosePlugins(
  plugins: NonNullable<ProfileEntry['plugins']>,
  { defaults, path }: { readonly defaults: readonly string[]; readonly path: string },
): readonly ChosenPlugin[] {
  refusePreEnqueue(plugins.preEnqueue, path)
  const chosen = new Map<
    string,
    {
      points: Set<ExtensionPoint>
      enabledAt: Map<ExtensionPoint, string>
      weight: number | undefined
      path: string | undefined
    }
  >()
  const isDisabled = (set: PluginSet | undefined, name: string): boolean =>
    set?.disabled.some((entry) => entry.name === '*' || entry.name === name) ?? false

  for (const name of defaults) {
    if (isDisabled(plugins.multiPoint, name)) continue
    const points = new Set(extensionPoints.filter((point) => !isDisabled(plugins[point], name)))
    if (points.size > 0) chosen.set(name, { points, enabledAt: new Map(), weight: undefined, path: undefined })
  }
  const enable = (entry: PluginSet['enabled'][number], points: readonly ExtensionPoint[], entryPath: string): void => {
    if (alwaysOn.has(entry.name)) return
    const known = chosen.get(entry.name)
    const isWeighted = entry.weight !== undefined && entry.weight > 0
    chosen.set(entry.name, {
      points: new Set([...(known?.points ?? []), ...points]),
      enabledAt: known?.enabledAt ?? new Map(),
      weight: isWeighted ? entry.weight : known?.weight,
      path: entryPath,
    })
  }
  for (const [i, entry] of (plugins.multiPoint?.enabled ?? []).entries()) {
    const points = extensionPoints.filter((point) => !isDisabled(plugins[point], entry.name))
    enable(entry, points, `${path}.multiPoint.enabled[${i}]`)
  }
  for (const point of extensionPoints) {
    for (const [i, entry] of (plugins[point]?.enabled ?? []).entries()) {
      const entryPath = `${path}.${point}.enabled[${i}]`
      enable(entry, [point], entryPath)
      chosen.get(entry.name)?.enabledAt.set(point, entryPath)
    }
  }
  return [...chosen].map(([name, plugin]) => ({ name, ...plugin }))
}

function refusePreEnqueue(set: PluginSet | undefined, path: string): void {
  const other = set?.enabled.find(({ name }) => !alwaysOn.has(name))
  if (other === undefined) return
  throw new ConfigError(`read ${path}.preEnqueue: plugin ${other.name} cannot run there`, {
    code: 'BERTH_SCHEDULER_CONFIG_PROFILE',
    hint: 'The only preEnqueue rule is SchedulingGates, and it is always on.',
  })
}
