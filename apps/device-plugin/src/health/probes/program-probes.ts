import type { ProbeResult } from '@berth/plugin-api'
import type { Device } from '@berth/types'
import { firstLine } from '@berth/text/first-line'
import { runForDevice } from '../../run-for-device.ts'
import { parseHealth } from '../../sources/read-health-file.ts'
import { errorCode, fillTemplate } from './probe-target.ts'

/** Runs a program. Exit code 0 means healthy; otherwise its first line of output is the reason. */
export async function probeCommand(
  command: readonly string[],
  device: Device,
  signal: AbortSignal,
): Promise<ProbeResult> {
  try {
    const { status, output } = await runForDevice(
      command.map((part) => fillTemplate(part, device)),
      { device, signal },
    )
    if (status === 0) return { health: 'Healthy' }
    return { health: 'Unhealthy', reason: firstLine(output) || `${command[0]} ended with ${status}` }
  } catch (error) {
    return { health: 'Unhealthy', reason: `${command[0]} cannot be run (${errorCode(error)})` }
  }
}

/** Runs a program that prints what a health file contains. */
export async function probeScript(script: string, device: Device, signal: AbortSignal): Promise<ProbeResult> {
  try {
    const { status, output } = await runForDevice([script], { device, signal })
    if (status !== 0) return { health: 'Unhealthy', reason: `${script} ended with ${status}` }
    return parseHealth(output, script)
  } catch (error) {
    return { health: 'Unhealthy', reason: `${script} cannot be run (${errorCode(error)})` }
  }
}
