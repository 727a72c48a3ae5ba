import type { DecideHooks } from '@berth/types'
import type { z } from 'zod'
import type { EffectHooks } from './effect-hooks.ts'
import { PLUGIN_API_VERSION } from './plugin-env.ts'
import type { PluginEnv } from './plugin-env.ts'

/** The hooks of one scheduling plugin; at least one. */
export type SchedulingHooks = DecideHooks & EffectHooks

/** A placement rule. Scheduler, extender and CLI run the same plugin through the same engine. */
export interface SchedulingPlugin<Args = unknown> {
  readonly kind: 'scheduling'
  readonly apiVersion: typeof PLUGIN_API_VERSION
  /** As written in configurations and in messages: lower-case words joined by hyphens. */
  readonly name: string
  /** What it does, one sentence. */
  readonly description: string
  /** A strict object: unknown keys are refused. */
  readonly argsSchema: z.ZodType<Args>
  /** Makes the hooks for one profile. Cheap, and free of effects. */
  create(args: Args, env: PluginEnv): SchedulingHooks
}

/** What a contributor writes; kind and version are added. */
export interface SchedulingPluginOptions<Schema extends z.ZodType> {
  readonly name: string
  readonly description: string
  readonly argsSchema: Schema
  create(args: z.output<Schema>, env: PluginEnv): SchedulingHooks
}

/** Defines a scheduling plugin for this version of the contract. */
export function defineSchedulingPlugin<Schema extends z.ZodType>(
  options: SchedulingPluginOptions<Schema>,
): SchedulingPlugin<z.output<Schema>> {
  return { kind: 'scheduling', apiVersion: PLUGIN_API_VERSION, ...options } as SchedulingPlugin<z.output<Schema>>
}
