import type { Device } from '@berth/types'
import { spawn } from 'node:child_process'

/** Output beyond this is dropped. */
const MAX_OUTPUT = 1024

/** How a program ended. */
export interface EndedProgram {
  /** Exit code, or the name of the signal. */
  readonly status: number | string
  readonly output: string
}

/** Runs a program for a device, without a shell, and kills it with its children when the signal aborts. */
export function runProgram(
  [file = '', ...args]: readonly string[],
  { device, signal }: { readonly device: Device; readonly signal: AbortSignal },
): Promise<EndedProgram> {
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

/** Returns the first line that is not blank, without spaces around it; empty if there is none. */
export const firstLine = (output: string): string =>
  output
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim() ?? ''
