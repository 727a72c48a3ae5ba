import {
  createFramework,
  defaultPlugins,
  type Framework,
  type NodeResourcesFitArgs,
  optionalPlugins,
  type WeightedPlugin,
} from '@berth/fit-engine'
import { type PluginEnv, type PluginRegistry, refuseUnsupportedHooks, type SchedulingHooks } from '@berth/plugin-api'
import { ConfigError } from '@berth/process/errors'
import { BerthError, MAX_NODE_SCORE } from '@berth/types'
import { z } from 'zod'
import type { PluginEntry } from './config.ts'

/** What the extender judges with. */
export interface Profile {
  readonly framework: Framework
  /** The highest total that a node can reach; 0 when nothing scores. */
  readonly maxTotal: number
}

const fitArgs = z.strictObject({
  ignoredResources: z.array(z.string()).optional(),
  ignoredResourceGroups: z.array(z.string()).optional(),
  scoringStrategy: z
    .strictObject({
      type: z.enum(['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio']).optional(),
      resources: z.array(z.strictObject({ name: z.string(), weight: z.int().optional() })).optional(),
      requestedToCapacityRatio: z
        .strictObject({ shape: z.array(z.strictObject({ utilization: z.int(), score: z.int() })).optional() })
        .optional(),
    })
    .optional(),
})

/**
 * Builds the profile of the configured plugins, in their order.
 *
 * @throws ConfigError BERTH_EXTENDER_CONFIG_PLUGIN naming the entry.
 */
export function buildProfile(
  entries: readonly PluginEntry[],
  registry: PluginRegistry,
  env: (plugin: string) => PluginEnv,
): Profile {
  const weighted = entries.map((entry, i) => {
    try {
      return create(entry, registry, env)
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
    return { framework, maxTotal: MAX_NODE_SCORE * weights.reduce((sum, weight) => sum + weight, 0) }
  } catch (error) {
    if (!(error instanceof BerthError)) throw error
    throw new ConfigError(`read plugins: ${error.message}`, { code: 'BERTH_EXTENDER_CONFIG_PLUGIN', cause: error })
  }
}

function create(
  { name, weight, args }: PluginEntry,
  registry: PluginRegistry,
  env: (plugin: string) => PluginEnv,
): WeightedPlugin {
  const isFit = name === 'NodeResourcesFit'
  const fit = isFit ? readFitArgs(args) : {}
  const builtIn = [...defaultPlugins({ fit }), ...optionalPlugins()].find(({ plugin }) => plugin.name === name)
  if (builtIn !== undefined) {
    if (!isFit && Object.keys(args).length > 0) throw fault(`plugin ${name} takes no arguments here`)
    return { plugin: builtIn.plugin, weight }
  }
  if (!registry.has('scheduling', name)) {
    const names = [
      ...[...defaultPlugins(), ...optionalPlugins()].map(({ plugin }) => plugin.name),
      ...registry.list('scheduling').map((entry) => entry.name),
    ]
    throw fault(`there is no plugin ${name}`, `There are ${names.join(', ')}.`)
  }
  const hooks = registry.createScheduling(name, args, env(name))
  refuseUnsupportedHooks('extender', hooks, name)
  if (hooks.bind !== undefined) throw fault(`plugin ${name} binds, and this extender serves no bind verb`)
  return { plugin: { name, ...decideHooks(hooks) }, weight }
}

function readFitArgs(args: PluginEntry['args']): NodeResourcesFitArgs {
  const parsed = fitArgs.safeParse(args)
  // Absent keys stay absent, so that `undefined` cannot occur.
  if (parsed.success) return parsed.data as NodeResourcesFitArgs
  throw fault(
    `the arguments of NodeResourcesFit are wrong: ${z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, ' ')}`,
  )
}

function fault(message: string, hint?: string): ConfigError {
  return new ConfigError(message, { code: 'BERTH_EXTENDER_CONFIG_PLUGIN', ...(hint !== undefined && { hint }) })
}

type DecideHooks = Pick<SchedulingHooks, 'preFilter' | 'filter' | 'preScore' | 'score' | 'normalizeScore'>

/** The decide hooks as functions that keep their `this`, whatever the plugin is made of. */
function decideHooks(hooks: SchedulingHooks): DecideHooks {
  const names = ['preFilter', 'filter', 'preScore', 'score', 'normalizeScore'] as const
  const entries = names.flatMap((name) => {
    const hook: unknown = hooks[name]
    return typeof hook === 'function' ? [[name, hook.bind(hooks) as unknown]] : []
  })
  return Object.fromEntries(entries) as DecideHooks
}
