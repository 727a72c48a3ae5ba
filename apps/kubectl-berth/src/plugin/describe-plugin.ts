import {
  createPluginRegistry,
  PluginError,
  refuseUnsupportedHooks,
  type BerthPlugin,
  type SourceEnv,
} from '@berth/plugin-api'
import { silentLogger } from '@berth/types'
import { z } from 'zod'
import type { Terminal } from '../cli/terminal.ts'

/** One argument of a plugin. */
export interface PluginArgument {
  readonly name: string
  /** JSON type, or `any`. */
  readonly type: string
  readonly isRequired: boolean
  readonly default?: unknown
  readonly description?: string
}

/** The metadata, hooks and arguments of a plugin. */
export interface PluginDescription {
  readonly name: string
  readonly kind: BerthPlugin['kind']
  readonly description: string
  readonly origin: string
  /** Names of its hooks. Absent when the plugin cannot be created without arguments, or at all. */
  readonly hooks?: readonly string[]
  /** Absent when the schema cannot be described. */
  readonly args?: readonly PluginArgument[]
}

/**
 * Describes a plugin. Creates it with default arguments to see its hooks.
 *
 * @returns The description, and the error with which a program would refuse the plugin whatever its arguments are.
 */
export function describePlugin(
  plugin: BerthPlugin,
  { origin, terminal }: { readonly origin: string; readonly terminal: Pick<Terminal, 'clock' | 'random'> },
): { readonly description: PluginDescription; readonly problem?: PluginError } {
  const { name, kind, description } = plugin
  const { clock, random } = terminal
  const { hooks, problem } = hooksOf(plugin, { log: silentLogger, clock, random, resourceName: 'example.com/resource' })
  const args = argumentsOf(plugin)
  return {
    description: { name, kind, description, origin, ...(hooks && { hooks }), ...(args && { args }) },
    ...(problem && { problem }),
  }
}

function hooksOf(
  plugin: BerthPlugin,
  env: SourceEnv,
): { readonly hooks?: readonly string[]; readonly problem?: PluginError } {
  const registry = createPluginRegistry([{ plugin, origin: '' }])
  const create = (): object => {
    switch (plugin.kind) {
      case 'scheduling': {
        const hooks = registry.createScheduling(plugin.name, {}, env)
        // The scheduler runs every hook that any program runs.
        refuseUnsupportedHooks('scheduler', hooks, plugin.name)
        return hooks
      }
      case 'device-source':
        return registry.createDeviceSource(plugin.name, {}, env)
      case 'resource-source':
        return registry.createResourceSource(plugin.name, {}, env)
    }
  }
  try {
    return { hooks: Object.entries(create()).flatMap(([hook, value]) => (typeof value === 'function' ? hook : [])) }
  } catch (error) {
    if (!(error instanceof PluginError)) throw error
    return error.code === 'BERTH_PLUGIN_ARGS' ? {} : { problem: error }
  }
}

function argumentsOf({ argsSchema }: BerthPlugin): readonly PluginArgument[] | undefined {
  try {
    const { properties = {}, required = [] } = z.toJSONSchema(argsSchema, { io: 'input', unrepresentable: 'any' })
    return Object.entries(properties).map(([name, property]) => {
      const schema = typeof property === 'object' ? property : {}
      return {
        name,
        type: schema.enum?.map((value) => JSON.stringify(value)).join(' | ') ?? String(schema.type ?? 'any'),
        isRequired: required.includes(name),
        ...(schema.default !== undefined && { default: schema.default }),
        ...(schema.description !== undefined && { description: schema.description }),
      }
    })
  } catch {
    // A plugin may bring another version of zod.
    return undefined
  }
}
