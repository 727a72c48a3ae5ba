import { errorText } from '@berth/text/error-text'
import { nearestName } from '@berth/text/nearest-name'
import { BerthError } from '@berth/types'
import { PluginError } from '../errors.ts'
import { guardSchedulingHooks } from '../guards/guard-scheduling.ts'
import { guardDeviceSource, guardResourceSource } from '../guards/guard-sources.ts'
import type { BerthPlugin, PluginKind } from '../contract/berth-plugin.ts'
import type { DeviceSource } from '../contract/device-source.ts'
import type { PluginEnv, SourceEnv } from '../contract/plugin-env.ts'
import type { ResourceSource } from '../contract/resource-source.ts'
import type { SchedulingHooks } from '../contract/scheduling-plugin.ts'
import { checkCreated } from './check-created.ts'
import { namedLogger } from './named-logger.ts'
import { parseArgs } from './parse-args.ts'
import { readConfigMaps } from './read-config-maps.ts'

/** A plugin and where it comes from. */
export interface PluginWithOrigin {
  readonly plugin: BerthPlugin
  /** A path, or "built in". */
  readonly origin: string
}

/** A plugin of any kind. Each public function of the registry passes the environment of its kind. */
type Creatable = BerthPlugin & { create(args: unknown, env: PluginEnv): unknown }

/** One available plugin, for logs and messages. */
export interface PluginListing {
  readonly kind: PluginKind
  readonly name: string
  readonly description: string
  readonly origin: string
  /** See {@link SchedulingPlugin.needsBind}. */
  readonly needsBind: boolean
  /** See {@link ResourceSourcePlugin.readsHost}. */
  readonly readsHost: boolean
}

/**
 * The plugins that a program can use, by kind and name. The `create` functions validate the arguments, and name the
 * plugin in each error.
 */
export interface PluginRegistry {
  /** Sorted by kind, then by name. */
  list(kind?: PluginKind): readonly PluginListing[]
  has(kind: PluginKind, name: string): boolean
  /**
   * The hooks check what they return: see BERTH_PLUGIN_RESULT.
   *
   * @throws PluginError BERTH_PLUGIN_UNKNOWN, BERTH_PLUGIN_ARGS, BERTH_PLUGIN_CREATE, BERTH_PLUGIN_HOOK_UNSUPPORTED.
   */
  createScheduling(name: string, args: unknown, env: PluginEnv): SchedulingHooks
  /**
   * Returns the ConfigMaps that a scheduling plugin reads with these arguments, as `namespace/name`.
   *
   * @throws PluginError BERTH_PLUGIN_UNKNOWN, BERTH_PLUGIN_ARGS; BERTH_PLUGIN_CREATE when it names something else.
   */
  configMapsOf(name: string, args: unknown): readonly string[]
  /** @throws PluginError with the codes of createScheduling, and BERTH_PLUGIN_SHAPE when a function is missing. */
  createDeviceSource(name: string, args: unknown, env: SourceEnv): DeviceSource
  /** @throws PluginError with the codes of createDeviceSource. */
  createResourceSource(name: string, args: unknown, env: SourceEnv): ResourceSource
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
        needsBind: plugin.kind === 'scheduling' && plugin.needsBind === true,
        readsHost: plugin.kind === 'resource-source' && plugin.readsHost === true,
      }))
      .filter((listing) => kind === undefined || listing.kind === kind)

  const find = (kind: PluginKind, name: string): BerthPlugin => {
    const entry = byKey.get(`${kind}/${name}`)
    if (entry === undefined) throw unknownPlugin(kind, name, list(kind))
    return entry.plugin
  }

  const create = (kind: PluginKind, name: string, args: unknown, env: PluginEnv): object => {
    const plugin: Creatable = find(kind, name)
    const parsed = parseArgs(plugin, args)
    let created: unknown
    try {
      created = plugin.create(parsed, { ...env, log: namedLogger(env.log, name) })
    } catch (error) {
      throw createError(name, error)
    }
    return checkCreated(kind, name, created)
  }

  return {
    list,
    has: (kind, name) => byKey.has(`${kind}/${name}`),
    createScheduling: (name, args, env) => guardSchedulingHooks(create('scheduling', name, args, env)),
    configMapsOf(name, args) {
      const plugin = find('scheduling', name)
      if (plugin.kind !== 'scheduling' || plugin.configMaps === undefined) return []
      return readConfigMaps(plugin, parseArgs(plugin, args))
    },
    createDeviceSource: (name, args, env) =>
      guardDeviceSource(name, create('device-source', name, args, env) as DeviceSource),
    createResourceSource: (name, args, env) =>
      guardResourceSource(create('resource-source', name, args, env) as ResourceSource),
  }
}

/** Names the plugin in an error of its create function. A refused hook or argument keeps its code and its hint. */
function createError(name: string, error: unknown): PluginError {
  const hint = error instanceof BerthError ? error.hint : undefined
  const isKept =
    error instanceof BerthError && ['BERTH_PLUGIN_HOOK_UNSUPPORTED', 'BERTH_PLUGIN_ARGS'].includes(error.code)
  return new PluginError(`create plugin ${name}: ${errorText(error)}`, {
    code: isKept ? error.code : 'BERTH_PLUGIN_CREATE',
    cause: error,
    ...(hint !== undefined && { hint }),
  })
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
