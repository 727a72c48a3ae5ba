import { errorText } from '@berth/text/error-text'
import { nearestName } from '@berth/text/nearest-name'
import { PluginError } from '../errors.ts'
import type { BerthPlugin, PluginKind } from '../contract/berth-plugin.ts'
import type { DeviceSource } from '../contract/device-source.ts'
import type { PluginEnv } from '../contract/plugin-env.ts'
import type { ResourceSource } from '../contract/resource-source.ts'
import type { SchedulingHooks } from '../contract/scheduling-plugin.ts'
import { namedLogger } from './named-logger.ts'
import { parseArgs } from './parse-args.ts'

/** A plugin and where it comes from. */
export interface PluginWithOrigin {
  readonly plugin: BerthPlugin
  /** A path, or "built in". */
  readonly origin: string
}

/** One available plugin, for logs and messages. */
export interface PluginListing {
  readonly kind: PluginKind
  readonly name: string
  readonly description: string
  readonly origin: string
}

/**
 * The plugins that a program can use, by kind and name. The `create` functions validate the arguments, and name the
 * plugin in each error.
 */
export interface PluginRegistry {
  /** Sorted by kind, then by name. */
  list(kind?: PluginKind): readonly PluginListing[]
  has(kind: PluginKind, name: string): boolean
  /** @throws PluginError BERTH_PLUGIN_UNKNOWN, BERTH_PLUGIN_ARGS, BERTH_PLUGIN_CREATE. */
  createScheduling(name: string, args: unknown, env: PluginEnv): SchedulingHooks
  /** @throws PluginError with the codes of createScheduling. */
  createDeviceSource(name: string, args: unknown, env: PluginEnv): DeviceSource
  /** @throws PluginError as createScheduling. */
  createResourceSource(name: string, args: unknown, env: PluginEnv): ResourceSource
}

/**
 * Creates a registry of plugins.
 *
 * @throws PluginError BERTH_PLUGIN_DUPLICATE when two of a kind share a name.
 */
export function createPluginRegistry(plugins: readonly PluginWithOrigin[]): PluginRegistry {
  const byKey = new Map<string, PluginWithOrigin>()
  for (const entry of plugins) {
    const { kind, name } = entry.plugin
    const other = byKey.get(`${kind}/${name}`)
    if (other !== undefined) {
      throw new PluginError(
        `register ${kind} plugin "${name}" from ${entry.origin}: ${other.origin} already provides one with this name`,
        {
          code: 'BERTH_PLUGIN_DUPLICATE',
          hint: 'Rename or remove one of the two.',
        },
      )
    }
    byKey.set(`${kind}/${name}`, entry)
  }

  const list = (kind?: PluginKind): readonly PluginListing[] =>
    [...byKey]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { plugin, origin }]) => ({
        kind: plugin.kind,
        name: plugin.name,
        description: plugin.description,
        origin,
      }))
      .filter((listing) => kind === undefined || listing.kind === kind)

  const find = (kind: PluginKind, name: string): BerthPlugin => {
    const entry = byKey.get(`${kind}/${name}`)
    if (entry === undefined) throw unknownPlugin(kind, name, list(kind))
    return entry.plugin
  }

  const create = (kind: PluginKind, name: string, args: unknown, env: PluginEnv): unknown => {
    const plugin = find(kind, name)
    const parsed = parseArgs(plugin, args)
    try {
      const made: unknown = plugin.create(parsed, { ...env, log: namedLogger(env.log, name) })
      if (typeof made !== 'object' || made === null) throw new Error('create did not return an object')
      return made
    } catch (error) {
      const reason = errorText(error)
      throw new PluginError(`create plugin ${name}: ${reason}`, { code: 'BERTH_PLUGIN_CREATE', cause: error })
    }
  }

  return {
    list,
    has: (kind, name) => byKey.has(`${kind}/${name}`),
    createScheduling: (name, args, env) => create('scheduling', name, args, env) as SchedulingHooks,
    createDeviceSource: (name, args, env) => create('device-source', name, args, env) as DeviceSource,
    createResourceSource: (name, args, env) => create('resource-source', name, args, env) as ResourceSource,
  }
}

function unknownPlugin(kind: PluginKind, name: string, known: readonly PluginListing[]): PluginError {
  const names = known.map((listing) => listing.name)
  const nearest = nearestName(name, names)
  const suggestion = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
  return new PluginError(`use ${kind} plugin "${name}": no such plugin`, {
    code: 'BERTH_PLUGIN_UNKNOWN',
    hint: `${names.length === 0 ? 'No plugins are available.' : `Available: ${names.join(', ')}.`}${suggestion}`,
  })
}
