import type { ProbeResult } from '@berth/plugin-api'
import type { Device } from '@berth/types'
import { spawn } from 'node:child_process'
import { parseHealth } from '../../sources/read-health-file.ts'
import { errorCode, fillTemplate } from './probe-target.ts'

/** Output beyond this is dropped. */
const MAX_OUTPUT = 1024

interface Ended {
  /** Exit code, or the name of the signal. */
  readonly status: number | string
  readonly output: string
}

/** Runs a program without a shell, and kills it with its children when the signal aborts. */
function runProgram(
  [file = '', ...args]: readonly string[],
  { device, signal }: { readonly device: Device; readonly signal: AbortSignal },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const env = {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      BERTH_DEVICE_ID: device.id,
      BERTH_DEVICE_PATH: device.paths?.[0] ?? '',
    }
    // Its own process group, so that its children end too.
    const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        if (output.length < MAX_OUTPUT) output += chunk.toString()
      })
    }
    const kill = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It has ended.
      }
    }
    signal.addEventListener('abort', kill, { once: true })
    child.once('error', reject)
    child.once('close', (code, killedBy) => {
      signal.removeEventListener('abort', kill)
      resolve({ status: code ?? killedBy ?? 'no status', output: output.slice(0, MAX_OUTPUT) })
    })
    if (signal.aborted) kill()
  })
}

const firstLine = (output: string): string =>
  output
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim() ?? ''

/** Runs a program. Exit code 0 means healthy; otherwise its first line of output is the reason. */
export async function probeCommand(
  command: readonly string[],
  device: Device,
  signal: AbortSignal,
): Promise<ProbeResult> {
  try {
    const { status, output } = await runProgram(
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
    const { status, output } = await runProgram([script], { device, signal })
    if (status !== 0) return { health: 'Unhealthy', reason: `${script} ended with ${status}` }
    return parseHealth(output, script)
  } catch (error) {
    return { health: 'Unhealthy', reason: `${script} cannot be run (${errorCode(error)})` }
  }
}
