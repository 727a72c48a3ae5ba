import type { DecideHooks } from '@berth/types'
import type { z } from 'zod'
import type { EffectHooks } from './effect-hooks.ts'
import type { PluginApiVersion } from './api-version.ts'
import type { PluginEnv } from './plugin-env.ts'

/** The hooks of one scheduling plugin; at least one. */
export type SchedulingHooks = DecideHooks & EffectHooks

/** A placement rule. The scheduler and the extender run it through the same engine. */
export interface SchedulingPlugin<Args = unknown> {
  readonly kind: 'scheduling'
  readonly apiVersion: PluginApiVersion
  /** Name in configurations and messages: lower-case words joined by hyphens. */
  readonly name: string
  /** One sentence about what the plugin does. */
  readonly description: string
  /** A strict object schema, so that unknown keys are refused. */
  readonly argsSchema: z.ZodType<Args>
  /**
   * Whether the rule holds only if the host counts a pod before it decides about the next one, as a limit on a sum does.
   * The scheduler always does. The extender does when it binds, and refuses the plugin without `bind`. Default: false.
   */
  readonly needsBind?: boolean
  /**
   * Returns the ConfigMaps that the hooks read, as `namespace/name`. Only these are in `cluster.objects`, under
   * `configMaps`. A change of one retries the pods that the plugin rejected, whatever `queueingHint` says. The program needs the
   * permission to list and watch each of them. Default: none.
   */
  configMaps?(args: Args): readonly string[]
  /** Creates the hooks for one profile. Must be cheap and have no side effects. */
  create(args: Args, env: PluginEnv): SchedulingHooks
}

/** Refuses public functions of `Hooks` that are not hooks, because no program would run them. */
export type OnlyHooks<Hooks> = {
  readonly [Key in Exclude<keyof Hooks, keyof SchedulingHooks>]: Hooks[Key] extends (...args: never) => unknown
    ? never
    : Hooks[Key]
}

/** Options of {@link defineSchedulingPlugin}, which adds the kind. */
export interface SchedulingPluginOptions<Schema extends z.ZodType, Hooks extends SchedulingHooks = SchedulingHooks> {
  /** The version that the plugin is written for: `berth.dev/v1`. */
  readonly apiVersion: PluginApiVersion
  readonly name: string
  readonly description: string
  readonly argsSchema: Schema
  /** See {@link SchedulingPlugin.needsBind}. */
  readonly needsBind?: boolean
  /** See {@link SchedulingPlugin.configMaps}. */
  configMaps?(args: z.output<Schema>): readonly string[]
  create(args: z.output<Schema>, env: PluginEnv): Hooks & OnlyHooks<Hooks>
}

/** Defines a scheduling plugin. */
export function defineSchedulingPlugin<Schema extends z.ZodType, Hooks extends SchedulingHooks>(
  options: SchedulingPluginOptions<Schema, Hooks>,
): SchedulingPlugin<z.output<Schema>> {
  return { kind: 'scheduling', ...options } as SchedulingPlugin<z.output<Schema>>
}
