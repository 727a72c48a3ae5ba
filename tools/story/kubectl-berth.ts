import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { UnmetExpectationError } from '@berth/testing'
import type { StoryContext } from './story-context.ts'

/**
 * Runs the bundle of the kubectl plugin against the story's cluster.
 *
 * @returns The output on stdout.
 */
export async function runKubectlBerth(story: StoryContext, args: readonly string[]): Promise<string> {
  const bundle = join(story.root, 'apps/kubectl-berth/dist/parts/main.js')
  const [command = '', ...rest] = args
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [bundle, command, ...rest, '--kubeconfig', story.kubeconfig],
      {
        env: { ...process.env, NO_COLOR: '1', COLUMNS: `${story.narrator.outputColumns}` },
        timeout: 30_000,
        signal: story.signal,
      },
    )
    return stdout
  } catch (cause) {
    const stderr = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause)
    throw new UnmetExpectationError(`kubectl berth ${args.join(' ')}: ${stderr}`, { cause })
  }
}
