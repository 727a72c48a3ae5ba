import type { DecidePlugin } from '@berth/types'
import { ProfileError } from '../errors.ts'

/** A plugin with the weight of its scores. */
export interface WeightedPlugin {
  readonly plugin: DecidePlugin
  /** Integer, 0 or more; applies to scores only. */
  readonly weight: number
}

/** The plugins of one profile, in the order in which they run. */
export interface Framework {
  readonly plugins: readonly WeightedPlugin[]
  /** Positions in `plugins` in the order in which the filters run; absent: the order of `plugins`. */
  readonly filterOrder?: readonly number[]
  /** Names of the plugins that are not built in. */
  readonly contributed: ReadonlySet<string>
  /** The ConfigMaps that plugins read, as `namespace/name`. */
  readonly configMaps: ReadonlySet<string>
}

function refuse(reason: string): never {
  throw new ProfileError(`build profile: ${reason}`, { code: 'BERTH_FIT_PROFILE' })
}

/**
 * Makes a framework of plugins, which run in this order.
 *
 * @param options - `filterOrder` names the plugins in the order in which their filters run, if it is another one. Names
 * of other plugins are skipped, and the filters of plugins that it does not name run last.
 *
 * @throws ProfileError BERTH_FIT_PROFILE for a duplicate plugin, a second queueSort or a weight that is not an integer
 * of 0 or more.
 */
export function createFramework(options: {
  readonly plugins: readonly WeightedPlugin[]
  readonly filterOrder?: readonly string[]
}): Framework {
  const seen = new Set<string>()
  let sorter: string | undefined
  for (const { plugin, weight } of options.plugins) {
    if (seen.has(plugin.name)) refuse(`plugin ${plugin.name} is listed twice`)
    seen.add(plugin.name)
    if (!Number.isSafeInteger(weight) || weight < 0) {
      refuse(`weight ${weight} of plugin ${plugin.name} is not an integer of 0 or more`)
    }
    if (plugin.queueSort === undefined) continue
    if (sorter !== undefined) refuse(`${sorter} and ${plugin.name} both sort the queue`)
    sorter = plugin.name
  }
  const plugins = [...options.plugins]
  const contributed = new Set(plugins.flatMap(({ plugin }) => (plugin.isContributed === true ? plugin.name : [])))
  const configMaps = new Set(plugins.flatMap(({ plugin }) => plugin.configMaps ?? []))
  const positions = new Map(plugins.map(({ plugin }, i) => [plugin.name, i]))
  const order = new Set([
    ...(options.filterOrder ?? []).flatMap((name) => positions.get(name) ?? []),
    ...plugins.keys(),
  ])
  const isSame = [...order].every((position, i) => position === i)
  return { plugins, contributed, configMaps, ...(!isSame && { filterOrder: [...order] }) }
}
