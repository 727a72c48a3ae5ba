import { type BuiltInPlugin, builtInPlugins, createFramework, decidesOnNodes, findBuiltIn } from '@berth/fit-engine'
import type { Framework, WeightedPlugin } from '@berth/fit-engine'
import { type PluginEnv, type PluginRegistry, refuseUnsupportedHooks, type SchedulingHooks } from '@berth/plugin-api'
import { parseByJsonSchema } from '@berth/process/config'
import { ConfigError } from '@berth/process/errors'
import { BerthError, MAX_NODE_SCORE } from '@berth/types'
import { z } from 'zod'
import type { EffectPlugin } from '../effect-plugin.ts'

/** One entry of `plugins` in the configuration of the extender. */
export const extenderPlugin = z.strictObject({
  name: z.string().min(1).describe('Name of a scheduling plugin: built-in, or from --plugin-dir.'),
  weight: z.int().min(0).max(1_000).default(1).describe('Weight of its scores.'),
  args: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Arguments of the plugin. Each plugin has its own schema.'),
})
/** One entry of `plugins`, defaults filled in. */
export type ExtenderPlugin = z.output<typeof extenderPlugin>

/** The plugins that evaluate the requests to the extender. */
export interface ExtenderProfile {
  readonly framework: Framework
  /** The maximum total score of a node; 0 when no plugin scores. */
  readonly maxTotal: number
  /** The plugins with effect hooks, in their order. */
  readonly effects: readonly EffectPlugin[]
  /** Names of the plugins that work correctly only if the extender also binds the pods. */
  readonly bindDependents: readonly string[]
}

interface CreatedPlugin extends WeightedPlugin {
  readonly effect?: EffectPlugin
  readonly needsBind?: boolean
}

/**
 * Builds the profile from the configured plugins, in their order.
 *
 * @throws ConfigError BERTH_EXTENDER_CONFIG_PLUGIN naming the entry.
 */
export function buildExtenderProfile(
  entries: readonly ExtenderPlugin[],
  registry: PluginRegistry,
  env: (plugin: string) => PluginEnv,
): ExtenderProfile {
  const weighted = entries.map((entry, i) => {
    try {
      return createPlugin(entry, registry, env)
    } catch (error) {
      if (!(error instanceof BerthError)) throw error
      throw new ConfigError(`read plugins[${i}]: ${error.message}`, {
        code: 'BERTH_EXTENDER_CONFIG_PLUGIN',
        cause: error,
        ...(error.hint !== undefined && { hint: error.hint }),
      })
    }
  })
  try {
    const framework = createFramework({ plugins: weighted })
    const weights = weighted.flatMap(({ plugin, weight }) => (plugin.score === undefined ? [] : [weight]))
    return {
      framework,
      maxTotal: MAX_NODE_SCORE * weights.reduce((sum, weight) => sum + weight, 0),
      effects: weighted.flatMap(({ effect }) => effect ?? []),
      bindDependents: weighted.flatMap(({ plugin, needsBind }) => (needsBind === true ? plugin.name : [])),
    }
  } catch (error) {
    if (!(error instanceof BerthError)) throw error
    throw new ConfigError(`read plugins: ${error.message}`, { code: 'BERTH_EXTENDER_CONFIG_PLUGIN', cause: error })
  }
}

function createPlugin(
  { name, weight, args }: ExtenderPlugin,
  registry: PluginRegistry,
  env: (plugin: string) => PluginEnv,
): CreatedPlugin {
  const builtIn = findBuiltIn(name)
  if (builtIn !== undefined && decidesOnNodes(builtIn))
    return { plugin: builtIn.create(validateArgs(builtIn, args)), weight }
  if (!registry.has('scheduling', name)) {
    const names = [
      ...builtInPlugins.filter(decidesOnNodes).map((plugin) => plugin.name),
      ...registry.list('scheduling').map((entry) => entry.name),
    ]
    const problem = builtIn === undefined ? `there is no plugin ${name}` : `plugin ${name} runs in the scheduler only`
    throw pluginError(problem, `Available plugins: ${names.join(', ')}.`)
  }
  const pluginEnv = env(name)
  const hooks = registry.createScheduling(name, args, pluginEnv)
  refuseUnsupportedHooks('extender', hooks, name)
  const configMaps = registry.configMapsOf(name, args)
  const plugin = { name, isContributed: true, configMaps, ...bindDecideHooks(hooks) }
  const hasEffects = hooks.bind !== undefined || hooks.processPreemption !== undefined
  const listing = registry.list('scheduling').find((entry) => entry.name === name)
  const needsBind = listing?.needsBind === true || hooks.bindingAnnotations !== undefined
  return { plugin, weight, needsBind, ...(hasEffects && { effect: { name, hooks, log: pluginEnv.log } }) }
}

function validateArgs({ name, argsSchema }: BuiltInPlugin, args: ExtenderPlugin['args']): object | undefined {
  if (argsSchema === undefined) {
    if (Object.keys(args).length > 0) throw pluginError(`plugin ${name} takes no arguments`)
    return undefined
  }
  const parsed = parseByJsonSchema(argsSchema, args)
  if (parsed.kind === 'valid') return parsed.value as object
  throw pluginError(`invalid arguments for ${name}: ${parsed.problem}`)
}

function pluginError(message: string, hint?: string): ConfigError {
  return new ConfigError(message, { code: 'BERTH_EXTENDER_CONFIG_PLUGIN', ...(hint !== undefined && { hint }) })
}

type DecideHooks = Pick<SchedulingHooks, (typeof decideHookNames)[number]>

const decideHookNames = ['preFilter', 'filter', 'preScore', 'score', 'normalizeScore', 'bindingAnnotations'] as const

/** Binds the decide hooks to their plugin, so that a plugin may be a class instance. */
function bindDecideHooks(hooks: SchedulingHooks): DecideHooks {
  const entries = decideHookNames.flatMap((name) => {
    const hook: unknown = hooks[name]
    return typeof hook === 'function' ? [[name, hook.bind(hooks) as unknown]] : []
  })
  return Object.fromEntries(entries) as DecideHooks
}
