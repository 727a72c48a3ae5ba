import { runProgram, type EndedProgram } from '@berth/source-kit/run-program'
import type { Device } from '@berth/types'

/** Runs a program for a device, which it finds in `BERTH_DEVICE_ID` and `BERTH_DEVICE_PATH`. See {@link runProgram}. */
export function runForDevice(
  command: readonly string[],
  { device, signal }: { readonly device: Device; readonly signal: AbortSignal },
): Promise<EndedProgram> {
  const env = { BERTH_DEVICE_ID: device.id, BERTH_DEVICE_PATH: device.paths?.[0] ?? '' }
  return runProgram(command, { env, signal })
}
