import type { Allocation, Device, DeviceHealth } from '@berth/types'
import type { z } from 'zod'
import { PLUGIN_API_VERSION } from './plugin-env.ts'
import type { PluginEnv } from './plugin-env.ts'

/** Answer of a health probe. */
export interface ProbeResult {
  readonly health: DeviceHealth
  /** Why it is unhealthy, one sentence. */
  readonly reason?: string
}

/** What one resource's devices are, and what a container gets with them. */
export interface DeviceSource {
  /**
   * Yields the whole inventory first, and again each time that it changed; an empty list is an inventory. Ends or
   * throws when `signal` is aborted; that may happen while the generator rests at a `yield`, so look at
   * `signal.aborted` before each wait. Ids stay the same for the same thing, across restarts too.
   */
  discover(signal: AbortSignal): AsyncIterable<readonly Device[]>
  /** Asks one device how it is; called from time to time. Absent: the health of the inventory counts. */
  probe?(device: Device, signal: AbortSignal): Promise<ProbeResult>
  /**
   * What a container gets that was given these devices. The kubelet may ask again for the same ones, and never says
   * when they come back: the answer depends on the arguments alone.
   *
   * @param ids - At least one, each among `devices`.
   * @param devices - The inventory as last yielded.
   */
  allocate(ids: readonly string[], devices: readonly Device[]): Allocation | Promise<Allocation>
}

/** A kind of device source, as the device plugin's configuration names it. */
export interface DeviceSourcePlugin<Args = unknown> {
  readonly kind: 'device-source'
  readonly apiVersion: typeof PLUGIN_API_VERSION
  readonly name: string
  readonly description: string
  /** A strict object: unknown keys are refused. */
  readonly argsSchema: z.ZodType<Args>
  /** Makes the source of one resource. Free of effects: these begin with `discover`. */
  create(args: Args, env: PluginEnv): DeviceSource
}

/** What a contributor writes; kind and version are added. */
export interface DeviceSourceOptions<Schema extends z.ZodType> {
  readonly name: string
  readonly description: string
  readonly argsSchema: Schema
  create(args: z.output<Schema>, env: PluginEnv): DeviceSource
}

/** Defines a device source for this version of the contract. */
export function defineDeviceSource<Schema extends z.ZodType>(
  options: DeviceSourceOptions<Schema>,
): DeviceSourcePlugin<z.output<Schema>> {
  return { kind: 'device-source', apiVersion: PLUGIN_API_VERSION, ...options } as DeviceSourcePlugin<z.output<Schema>>
}
