import type { Node } from '@berth/types'
import type { z } from 'zod'
import { PLUGIN_API_VERSION } from './plugin-env.ts'
import type { PluginEnv } from './plugin-env.ts'

/** How many units a node has, and since when that is known. */
export interface ResourceReading {
  /** A whole number, zero or more. */
  readonly units: number | bigint
  /** When it was true, milliseconds since the epoch; the advertiser says how old what it writes is. */
  readonly observedAtMs: number
}

/** Computes the amount of one resource on a node. */
export interface ResourceSource {
  /** Rejects when it does not know: the advertiser then leaves the last amount alone. Ends when `signal` is aborted. */
  compute(node: Node, signal: AbortSignal): Promise<ResourceReading>
}

/** A kind of resource source, as the advertiser's configuration names it. */
export interface ResourceSourcePlugin<Args = unknown> {
  readonly kind: 'resource-source'
  readonly apiVersion: typeof PLUGIN_API_VERSION
  readonly name: string
  readonly description: string
  /** A strict object: unknown keys are refused. */
  readonly argsSchema: z.ZodType<Args>
  /** Makes the source of one resource. Free of effects: these begin with `compute`. */
  create(args: Args, env: PluginEnv): ResourceSource
}

/** What a contributor writes; kind and version are added. */
export interface ResourceSourceOptions<Schema extends z.ZodType> {
  readonly name: string
  readonly description: string
  readonly argsSchema: Schema
  create(args: z.output<Schema>, env: PluginEnv): ResourceSource
}

/** Defines a resource source for this version of the contract. */
export function defineResourceSource<Schema extends z.ZodType>(
  options: ResourceSourceOptions<Schema>,
): ResourceSourcePlugin<z.output<Schema>> {
  return { kind: 'resource-source', apiVersion: PLUGIN_API_VERSION, ...options } as ResourceSourcePlugin<
    z.output<Schema>
  >
}
