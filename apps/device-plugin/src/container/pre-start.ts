import { withDeadline } from '@berth/clock'
import { errorText } from '@berth/text/error-text'
import type { DeviceSource } from '@berth/plugin-api'
import type { Clock, Device } from '@berth/types'
import { DeviceRequestError } from '../errors.ts'
import { errorCode, fillTemplate } from '../health/probes/probe-target.ts'
import { printableLine } from '../printable.ts'
import { firstLine } from '@berth/text/first-line'
import { runForDevice } from '../run-for-device.ts'
import { runInParallel } from '../run-in-parallel.ts'
import type { PreStartConfig } from './container-config.ts'

/** Deadline for the hook of a source: less than the 30 s of the kubelet, which then gives no reason. */
const SOURCE_TIMEOUT_MS = 25_000
const MAX_PROGRAMS_AT_ONCE = 8

/** The hooks of a source and of the configuration that run before a container starts. */
export interface PreStartHooks {
  readonly source: Pick<DeviceSource, 'preStart'>
  readonly config?: PreStartConfig | undefined
}

/** Returns whether the kubelet must call the plugin before a container starts. */
export function needsPreStart({ source, config }: PreStartHooks): boolean {
  return source.preStart !== undefined || config !== undefined
}

/**
 * Prepares the devices of a container before it starts: runs the hook of the source, then the configured program for
 * each device. Each has a deadline.
 *
 * @param devices - Sorted by id.
 * @throws DeviceRequestError BERTH_DEVICE_PLUGIN_PRE_START
 */
export async function preStart(
  resourceName: string,
  devices: readonly Device[],
  {
    source,
    config,
    inventory,
    clock,
  }: PreStartHooks & { readonly inventory: readonly Device[]; readonly clock: Clock },
): Promise<void> {
  const ids = devices.map(({ id }) => id)
  try {
    await withDeadline({ clock, deadlineMs: SOURCE_TIMEOUT_MS }, (signal) => source.preStart?.(ids, inventory, signal))
    if (config === undefined) return
    await withDeadline({ clock, deadlineMs: config.timeoutSeconds * 1000 }, async (signal) => {
      await runInParallel(devices, MAX_PROGRAMS_AT_ONCE, (device) => runFor(device, config.command, signal))
    })
  } catch (error) {
    throw new DeviceRequestError(`prepare ${resourceName} ${ids.join(', ')}: ${printableLine(errorText(error))}`, {
      code: 'BERTH_DEVICE_PLUGIN_PRE_START',
      retryable: true,
      cause: error,
    })
  }
}

async function runFor(device: Device, command: readonly string[], signal: AbortSignal): Promise<void> {
  const filled = command.map((part) => fillTemplate(part, device))
  const { status, output } = await runForDevice(filled, { device, signal }).catch((error: unknown) => {
    throw new Error(`${command[0]} cannot be run (${errorCode(error)})`, { cause: error })
  })
  if (status !== 0) throw new Error(firstLine(output) || `${command[0]} ended with ${status}`)
}
