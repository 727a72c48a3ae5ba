import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const app = join(import.meta.dirname, '../..')

/** Output of `discover`. */
export interface Discovered {
  readonly resources: readonly {
    readonly name: string
    readonly problem?: string
    readonly leftOut?: readonly { readonly id: string; readonly reason: string }[]
    readonly devices: readonly { readonly id: string; readonly health: string; readonly numaNodes: readonly number[] }[]
  }[]
}

/**
 * Runs a command of the device plugin as a process.
 *
 * @param flags - Further flags.
 * @returns Its standard output.
 * @throws Its standard error when it fails.
 */
export async function runDevicePlugin(
  command: 'discover' | 'validate',
  resources: readonly object[],
  flags: readonly string[] = [],
): Promise<string> {
  const argv = [
    '--conditions=@berth/source',
    'src/main.ts',
    command,
    '-o',
    'json',
    '--resources',
    JSON.stringify(resources),
    ...flags,
  ]
  return (await promisify(execFile)(process.execPath, argv, { cwd: app })).stdout
}
