import { builtInPlugins, createFramework, findBuiltIn, type Framework, type WeightedPlugin } from '@berth/fit-engine'
import { type PluginEnv, type PluginRegistry, refuseUnsupportedHooks, type SchedulingHooks } from '@berth/plugin-api'
import { ConfigError } from '@berth/process/errors'
import { BerthError, type DecidePlugin, type Logger } from '@berth/types'
import type { ExtensionPoint, ProfileEntry } from './kube-scheduler-configuration.ts'
import { type PluginArgs, readBuiltInArgs } from './plugin-args.ts'
import { DEFAULT_PREEMPTION, type PreemptionArgs, readPreemptionArgs } from './preemption-args.ts'
import { type ChosenPlugin, choosePlugins } from './profile-plugins.ts'

/** The effect hooks of one plugin. */
export interface EffectPlugin {
  readonly name: string
  readonly hooks: Pick<
    SchedulingHooks,
    'postFilter' | 'reserve' | 'unreserve' | 'permit' | 'preBind' | 'bind' | 'postBind'
  >
  readonly log: Logger
  /** Set for the built-in default preemption, which has no hooks of its own. */
  readonly preemption?: PreemptionArgs
}

/** One scheduler of the process: the pods of its name go through its plugins. */
export interface Profile {
  readonly schedulerName: string
  readonly framework: Framework
  /** Plugins with effect hooks, in the order in which they run. */
  readonly effects: readonly EffectPlugin[]
  /** The plugin that sorts the queue; undefined: priority, then time. */
  readonly sorter: DecidePlugin | undefined
}

/** What building a profile needs of the world. */
export interface ProfileParts {
  readonly registry: PluginRegistry
  /** The environment of one plugin. */
  readonly env: (plugin: string) => PluginEnv
  /** Resources that extenders check in place of the fit plugin. */
  readonly ignoredResources: readonly string[]
}

/** The hooks behind each extension point; a point brings along the hooks that only prepare it. */
const hooksByPoint: Readonly<Record<ExtensionPoint, readonly (keyof SchedulingHooks)[]>> = {
  queueSort: ['queueSort'],
  preFilter: ['preFilter'],
  filter: ['filter', 'preFilter'],
  postFilter: ['postFilter'],
  preScore: ['preScore'],
  score: ['score', 'preScore', 'normalizeScore'],
  reserve: ['reserve', 'unreserve'],
  permit: ['permit'],
  preBind: ['preBind'],
  bind: ['bind'],
  postBind: ['postBind'],
}
const decideHooks = ['queueSort', 'preFilter', 'filter', 'preScore', 'score', 'normalizeScore'] as const
const effectHooks = ['postFilter', 'reserve', 'unreserve', 'permit', 'preBind', 'bind', 'postBind'] as const

/**
 * Builds one profile.
 *
 * @param path - Of the entry in the configuration: `profiles[0]`.
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_PROFILE for a plugin or arguments that make no sense.
 */
export function buildProfile(entry: ProfileEntry, path: string, parts: ProfileParts): Profile {
  try {
    return assemble(entry, path, parts)
  } catch (error) {
    if (!(error instanceof BerthError) || error instanceof ConfigError) throw error
    throw new ConfigError(`read ${path}: ${error.message}`, {
      code: 'BERTH_SCHEDULER_CONFIG_PROFILE',
      cause: error,
      ...(error.hint !== undefined && { hint: error.hint }),
    })
  }
}

function assemble(entry: ProfileEntry, path: string, { registry, env, ignoredResources }: ProfileParts): Profile {
  const argsByPlugin = new Map<string, PluginArgs>(
    entry.pluginConfig.map(({ name, args }, i) => [name, { args, path: `${path}.pluginConfig[${i}]` }]),
  )
  const args = readBuiltInArgs(argsByPlugin, ignoredResources)
  const builtIn = new Map<string, WeightedPlugin>(
    builtInPlugins.map(({ name, weight, create }) => [name, { plugin: create(args.get(name)), weight }]),
  )
  for (const [name, { path: place }] of argsByPlugin) {
    const takesArgs = findBuiltIn(name)?.argsSchema !== undefined || name === DEFAULT_PREEMPTION
    if (!takesArgs && !registry.has('scheduling', name)) refuse(`${place}.name`, name, builtIn.has(name))
  }
  const chosen = choosePlugins(entry.plugins ?? {}, {
    defaults: [...builtInPlugins.flatMap(({ name, isDefault }) => (isDefault ? name : [])), DEFAULT_PREEMPTION],
    path: `${path}.plugins`,
  })
  const weighted: WeightedPlugin[] = []
  const effects: EffectPlugin[] = []
  for (const plugin of chosen) {
    const own = builtIn.get(plugin.name)
    if (own !== undefined) {
      const rest = restricted(own.plugin, plugin)
      const isIdle = decideHooks.every((hook) => rest[hook] === undefined)
      if (!isIdle) weighted.push({ plugin: rest, weight: plugin.weight ?? own.weight })
      continue
    }
    if (plugin.name === DEFAULT_PREEMPTION) {
      const preemption = readPreemptionArgs(argsByPlugin.get(plugin.name))
      if (plugin.points.has('postFilter')) {
        effects.push({ name: plugin.name, hooks: {}, log: env(plugin.name).log, preemption })
      }
      continue
    }
    if (!registry.has('scheduling', plugin.name)) refuse(plugin.path ?? path, plugin.name, false)
    const environment = env(plugin.name)
    const hooks = registry.createScheduling(plugin.name, argsByPlugin.get(plugin.name)?.args, environment)
    refuseUnsupportedHooks('scheduler', hooks, plugin.name)
    const kept = keptHooks(plugin, hooks)
    weighted.push({ plugin: { name: plugin.name, ...bound(hooks, decideHooks, kept) }, weight: plugin.weight ?? 1 })
    if (effectHooks.some((hook) => kept.has(hook))) {
      effects.push({ name: plugin.name, hooks: bound(hooks, effectHooks, kept), log: environment.log })
    }
  }
  const framework = createFramework({ plugins: weighted })
  const sorter = framework.plugins.find(({ plugin }) => plugin.queueSort !== undefined)?.plugin
  return { schedulerName: entry.schedulerName, framework, effects, sorter }
}

function refuse(place: string, name: string, isBuiltIn: boolean): never {
  const reason = isBuiltIn ? 'takes no arguments' : 'is neither built in nor in --plugin-dir'
  throw new ConfigError(`read ${place}: plugin ${name} ${reason}`, { code: 'BERTH_SCHEDULER_CONFIG_PROFILE' })
}

/** Hooks that run, of those that the plugin has. A point named for a plugin that has no hook there is a mistake. */
function keptHooks({ name, points, path }: ChosenPlugin, hooks: SchedulingHooks): ReadonlySet<string> {
  const has = (hook: keyof SchedulingHooks): boolean => hooks[hook] !== undefined
  const kept = new Set([...points].flatMap((point) => hooksByPoint[point]).filter(has))
  if (kept.size > 0) return kept
  const wanted = [...points].join(', ')
  throw new ConfigError(`read ${path ?? name}: plugin ${name} does not extend ${wanted}`, {
    code: 'BERTH_SCHEDULER_CONFIG_PROFILE',
  })
}

/** The named hooks as functions that keep their `this`, whatever the plugin is made of. */
function bound<Name extends keyof SchedulingHooks>(
  hooks: SchedulingHooks,
  names: readonly Name[],
  kept: ReadonlySet<string>,
): Pick<SchedulingHooks, Name> {
  const entries = names.flatMap((name) => {
    const hook: unknown = hooks[name]
    return typeof hook === 'function' && kept.has(name) ? [[name, hook.bind(hooks) as unknown]] : []
  })
  return Object.fromEntries(entries) as Pick<SchedulingHooks, Name>
}

/** A built-in plugin without the hooks of points at which it is disabled. What the engine adds goes with its filter. */
function restricted(plugin: DecidePlugin, { points }: ChosenPlugin): DecidePlugin {
  const runs = new Set<string>([...points].flatMap((point) => hooksByPoint[point]))
  if (decideHooks.every((hook) => plugin[hook] === undefined || runs.has(hook))) return plugin
  const extras = Object.entries(plugin).filter(([key]) => !decideHooks.some((hook) => hook === key))
  return {
    ...(runs.has('filter') && Object.fromEntries(extras)),
    name: plugin.name,
    ...bound(plugin, decideHooks, runs),
  }
}
