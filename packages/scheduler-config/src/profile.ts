import {
  builtInPlugins,
  createFramework,
  DEFAULT_PREEMPTION,
  findBuiltIn,
  type Framework,
  parseDefaultPreemptionArgs,
  type WeightedPlugin,
} from '@berth/fit-engine'
import { type PluginEnv, type PluginRegistry, refuseUnsupportedHooks } from '@berth/plugin-api'
import { ConfigError } from '@berth/process/errors'
import { BerthError, type DecidePlugin } from '@berth/types'
import { type ChosenPlugin, choosePlugins } from './choose-plugins.ts'
import type { EffectPlugin } from './effect-plugin.ts'
import { orderEffects } from './order-effects.ts'
import type { ProfileEntry } from './kube-scheduler-configuration.ts'
import { hasUnusedArgs, type PluginArgs, readBuiltInArgs } from './plugin-args.ts'
import { refuseIdleBuiltIn, restrictToPoints, selectHooks } from './plugin-hooks.ts'
import { readVolumeBindingArgs, VOLUME_BINDING, type VolumeBindingArgs } from './volume-binding-args.ts'
import {
  endOfBinders,
  isSchedulerPart,
  refuseIdlePart,
  refuseMissingSorter,
  schedulerParts,
} from './scheduler-parts.ts'

/** A scheduling profile: the plugins for the pods of one schedulerName. */
export interface Profile {
  readonly schedulerName: string
  readonly framework: Framework
  /**
   * Plugins with effect hooks; a plugin is listed once for each extension point. The order is that in which they run.
   */
  readonly effects: readonly EffectPlugin[]
  /** The plugins with a preEnqueue hook, in the order in which they run. */
  readonly preEnqueue: readonly DecidePlugin[]
  /** The plugin that sorts the queue; undefined: by priority, then time. */
  readonly sorter: DecidePlugin | undefined
  /** How the scheduler binds the volumes of pods; undefined when the profile does not bind them. */
  readonly volumeBinding: VolumeBindingArgs | undefined
}

/** Options of {@link buildProfile}. */
export interface BuildProfileOptions {
  readonly registry: PluginRegistry
  /** Returns the environment of one plugin. */
  readonly env: (plugin: string) => PluginEnv
  /** Resources that extenders check instead of the fit plugin. */
  readonly ignoredResources: readonly string[]
}

const defaultPluginNames: readonly string[] = [
  ...schedulerParts,
  ...builtInPlugins.flatMap(({ name, isDefault }) => (isDefault ? name : [])),
]

/**
 * Builds one profile.
 *
 * @param path - Path of the entry in the configuration: `profiles[0]`.
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_PROFILE for an unknown plugin or invalid arguments.
 */
export function buildProfile(entry: ProfileEntry, path: string, options: BuildProfileOptions): Profile {
  try {
    return assemble(entry, path, options)
  } catch (error) {
    if (!(error instanceof BerthError) || error instanceof ConfigError) throw error
    throw new ConfigError(`read ${path}: ${error.message}`, {
      code: 'BERTH_SCHEDULER_CONFIG_PROFILE',
      cause: error,
      ...(error.hint !== undefined && { hint: error.hint }),
    })
  }
}

function assemble(entry: ProfileEntry, path: string, options: BuildProfileOptions): Profile {
  const argsByPlugin = new Map<string, PluginArgs>(
    entry.pluginConfig.map(({ name, args }, i) => [name, { args, path: `${path}.pluginConfig[${i}]` }]),
  )
  const builtInArgs = readBuiltInArgs(argsByPlugin, options.ignoredResources)
  const builtIn = new Map<string, WeightedPlugin>(
    builtInPlugins.map(({ name, weight, create }) => [name, { plugin: create(builtInArgs.get(name)), weight }]),
  )
  refuseStrayArgs(argsByPlugin, options.registry)
  const volumeBinding = readVolumeBindingArgs(argsByPlugin.get(VOLUME_BINDING))
  const chosen = choosePlugins(entry.plugins ?? {}, { defaults: defaultPluginNames, path: `${path}.plugins` })
  const decide = new Map<string, WeightedPlugin>()
  const effects = new Map<string, EffectPlugin>()
  for (const choice of chosen.plugins.values()) {
    const { name, points } = choice
    const args = argsByPlugin.get(name)
    const own = builtIn.get(name)
    if (own !== undefined) {
      refuseIdleBuiltIn(choice, findBuiltIn(name)?.points ?? [])
      const plugin = restrictToPoints(own.plugin, points)
      if (plugin !== undefined) decide.set(name, { plugin, weight: choice.weight ?? own.weight })
      if (name === DEFAULT_PREEMPTION && points.has('postFilter')) {
        const preemption = parseDefaultPreemptionArgs(builtInArgs.get(name))
        effects.set(name, { name, hooks: {}, log: options.env(name).log, preemption })
      }
    } else if (isSchedulerPart(name)) {
      refuseIdlePart(choice)
    } else {
      const contributed = createContributed(choice, args, path, options)
      decide.set(name, contributed.weighted)
      if (contributed.effects !== undefined) effects.set(name, contributed.effects)
    }
  }
  const framework = createFramework({
    // Only preFilter and filter depend on the order.
    plugins: [...new Set([...(chosen.order.get('preFilter') ?? []), ...decide.keys()])].flatMap(
      (name) => decide.get(name) ?? [],
    ),
    filterOrder: chosen.order.get('filter') ?? [],
  })
  const sorter = framework.plugins.find(({ plugin }) => plugin.queueSort !== undefined)?.plugin
  refuseMissingSorter(chosen, sorter?.name, `${path}.plugins`)
  return {
    schedulerName: entry.schedulerName,
    framework,
    effects: [
      ...orderEffects(effects, chosen.order),
      ...endOfBinders(chosen, effects, { path: `${path}.plugins`, log: options.env('DefaultBinder').log }),
    ],
    preEnqueue: (chosen.order.get('preEnqueue') ?? []).flatMap((name) => {
      const plugin = decide.get(name)?.plugin
      return plugin?.preEnqueue === undefined ? [] : [plugin]
    }),
    sorter,
    volumeBinding: bindsVolumes(chosen.plugins.get(VOLUME_BINDING), `${path}.plugins`) ? volumeBinding : undefined,
  }
}

/**
 * Returns whether a profile binds volumes: VolumeBinding runs at filter.
 *
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_PROFILE when VolumeBinding runs at filter but is disabled at preFilter,
 *   reserve
 * or preBind: the profile would choose nodes by volumes that it then does not bind.
 */
function bindsVolumes(choice: ChosenPlugin | undefined, path: string): boolean {
  if (choice === undefined || !choice.points.has('filter')) return false
  const missing = (['preFilter', 'reserve', 'preBind'] as const).find((point) => !choice.points.has(point))
  if (missing !== undefined) {
    refuse(`${path}.${missing}`, VOLUME_BINDING, `is disabled at ${missing}, but filters nodes by volumes to bind`)
  }
  return true
}

/** Refuses arguments for a plugin that does not exist or has no arguments. */
function refuseStrayArgs(argsByPlugin: ReadonlyMap<string, PluginArgs>, registry: PluginRegistry): void {
  for (const [name, { path }] of argsByPlugin) {
    const builtIn = findBuiltIn(name)
    const takesArgs = builtIn?.argsSchema !== undefined || name === VOLUME_BINDING || hasUnusedArgs(name)
    if (takesArgs || registry.has('scheduling', name)) continue
    refuse(
      `${path}.name`,
      name,
      builtIn === undefined ? 'is neither built in nor in --plugin-dir' : 'takes no arguments',
    )
  }
}

function createContributed(
  choice: ChosenPlugin,
  args: PluginArgs | undefined,
  path: string,
  { registry, env }: BuildProfileOptions,
): { readonly weighted: WeightedPlugin; readonly effects: EffectPlugin | undefined } {
  const { name } = choice
  if (!registry.has('scheduling', name)) refuse(choice.path ?? path, name, 'is neither built in nor in --plugin-dir')
  const environment = env(name)
  const hooks = registry.createScheduling(name, args?.args, environment)
  const configMaps = registry.configMapsOf(name, args?.args)
  refuseUnsupportedHooks('scheduler', hooks, name)
  const { decide, effects } = selectHooks(choice, hooks)
  return {
    weighted: { plugin: { name, isContributed: true, configMaps, ...decide }, weight: choice.weight ?? 1 },
    effects: effects && { name, hooks: effects, log: environment.log },
  }
}

function refuse(path: string, name: string, reason: string): never {
  throw new ConfigError(`read ${path}: plugin ${name} ${reason}`, { code: 'BERTH_SCHEDULER_CONFIG_PROFILE' })
}
