import type { Node } from '@berth/types'
import type { z } from 'zod'
import type { PluginApiVersion } from './api-version.ts'
import type { SourceEnv } from './plugin-env.ts'

/** The number of units of a resource on a node, and when it was observed. */
export interface ResourceReading {
  /** Zero or more. The advertiser rounds a fraction as its configuration says. */
  readonly units: number | bigint
  /** Time of the observation, milliseconds since the epoch. The advertiser reports the age of what it writes. */
  readonly observedAtMs: number
}

/** Computes the amount of one resource on a node. */
export interface ResourceSource {
  /** Must reject when the amount is unknown: the advertiser then keeps the last one. Must end when `signal` is aborted. */
  compute(node: Node, signal: AbortSignal): Promise<ResourceReading>
}

/** A kind of resource source, as the advertiser's configuration names it. */
export interface ResourceSourcePlugin<Args = unknown> {
  readonly kind: 'resource-source'
  readonly apiVersion: PluginApiVersion
  readonly name: string
  readonly description: string
  /**
   * True if the source reads the machine that it runs on, such as /sys. The advertiser runs it only where it runs on the
   * node that it computes for. Default: false.
   */
  readonly readsHost?: boolean
  /** A strict object schema, so that unknown keys are refused. */
  readonly argsSchema: z.ZodType<Args>
  /** Creates the source of one resource. Must have no side effects; those start with `compute`. */
  create(args: Args, env: SourceEnv): ResourceSource
}

/** Options of {@link defineResourceSource}, which adds the kind. */
export interface ResourceSourceOptions<Schema extends z.ZodType> {
  /** The version that the plugin is written for: `berth.dev/v1`. */
  readonly apiVersion: PluginApiVersion
  readonly name: string
  readonly description: string
  /** See {@link ResourceSourcePlugin.readsHost}. Default: false. */
  readonly readsHost?: boolean
  readonly argsSchema: Schema
  create(args: z.output<Schema>, env: SourceEnv): ResourceSource
}

/** Defines a resource source. */
export function defineResourceSource<Schema extends z.ZodType>(
  options: ResourceSourceOptions<Schema>,
): ResourceSourcePlugin<z.output<Schema>> {
  return { kind: 'resource-source', ...options } as ResourceSourcePlugin<z.output<Schema>>
}
