import type { Allocation, Device, DeviceHealth } from '@berth/types'
import type { z } from 'zod'
import type { PluginApiVersion } from './api-version.ts'
import type { SourceEnv } from './plugin-env.ts'

/** Result of a health probe. */
export interface ProbeResult {
  readonly health: DeviceHealth
  /** One sentence about why the device is unhealthy. */
  readonly reason?: string
}

/** Discovers the devices of one resource, and describes what a container gets with them. */
export interface DeviceSource {
  /**
   * Yields the complete inventory at the start and after each change. An empty list is a valid inventory. Must end or
   * throw when `signal` is aborted. That can happen while the generator is suspended at a `yield`, so check
   * `signal.aborted` before each wait. A device keeps its id across restarts.
   */
  discover(signal: AbortSignal): AsyncIterable<readonly Device[]>
  /** Probes the health of one device, at intervals. Omit to use the health in the inventory. */
  probe?(device: Device, signal: AbortSignal): Promise<ProbeResult>
  /**
   * Returns what a container gets with these devices. The kubelet may allocate the same devices again and never reports
   * when they are released, so the result must depend on the arguments only.
   *
   * @param ids - At least one, each among `devices`.
   * @param devices - The inventory that was yielded last.
   */
  allocate(ids: readonly string[], devices: readonly Device[]): Allocation | Promise<Allocation>
  /**
   * Prepares devices before a container that holds them starts, and before each of its restarts. The container does not
   * start when it throws, or when it has not ended after 25 s. Omit if there is nothing to prepare.
   *
   * @param ids - At least one, each among `devices`.
   * @param devices - The current devices of the resource.
   * @param signal - Aborts at the deadline.
   */
  preStart?(ids: readonly string[], devices: readonly Device[], signal: AbortSignal): Promise<void>
}

/** A kind of device source, as the device plugin's configuration names it. */
export interface DeviceSourcePlugin<Args = unknown> {
  readonly kind: 'device-source'
  readonly apiVersion: PluginApiVersion
  readonly name: string
  readonly description: string
  /** A strict object schema, so that unknown keys are refused. */
  readonly argsSchema: z.ZodType<Args>
  /** Creates the source of one resource. Must have no side effects; those start with `discover`. */
  create(args: Args, env: SourceEnv): DeviceSource
}

/** Options of {@link defineDeviceSource}, which adds the kind. */
export interface DeviceSourceOptions<Schema extends z.ZodType> {
  /** The version that the plugin is written for: `berth.dev/v1`. */
  readonly apiVersion: PluginApiVersion
  readonly name: string
  readonly description: string
  readonly argsSchema: Schema
  create(args: z.output<Schema>, env: SourceEnv): DeviceSource
}

/** Defines a device source. */
export function defineDeviceSource<Schema extends z.ZodType>(
  options: DeviceSourceOptions<Schema>,
): DeviceSourcePlugin<z.output<Schema>> {
  return { kind: 'device-source', ...options } as DeviceSourcePlugin<z.output<Schema>>
}
