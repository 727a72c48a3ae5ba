import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { UnmetExpectationError } from '@berth/testing'
import type { World } from './world.ts'

/**
 * Runs the kubectl plugin's bundle against the story's cluster.
 *
 * @returns What it printed on stdout.
 */
export async function runKubectlBerth(world: World, args: readonly string[]): Promise<string> {
  const bundle = join(world.root, 'apps/kubectl-berth/dist/main.js')
  const [command = '', ...rest] = args
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [bundle, command, ...rest, '--kubeconfig', world.kubeconfig],
      { env: { ...process.env, NO_COLOR: '1', COLUMNS: '75' }, timeout: 30_000, signal: world.signal },
    )
    return stdout
  } catch (cause) {
    const stderr = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause)
    throw new UnmetExpectationError(`kubectl berth ${args.join(' ')}: ${stderr}`, { cause })
  }
}
