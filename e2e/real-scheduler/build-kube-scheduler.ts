import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runOrThrow } from '../cluster/run-command.ts'
import { pinKubernetes } from '../node-image/pin-kubernetes.ts'

const BUILD_TIMEOUT_MS = 60 * 60_000

/**
 * Builds the unmodified kube-scheduler of a version from its Go module, unless the user's cache has it.
 *
 * @param version - For example v1.34.4.
 * @returns The path of the program.
 * @throws Error with the output of Go when the version does not exist or cannot be built.
 */
export async function buildKubeScheduler(version: string): Promise<string> {
  const dir = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'berth', `kube-scheduler-${version}`)
  const program = join(dir, 'kube-scheduler')
  if (existsSync(program)) return program
  const packages = await pinKubernetes({ dir, name: 'kube-scheduler', version, programs: ['kube-scheduler'] })
  const args = ['build', '-trimpath', '-ldflags=-s -w', '-o', program, ...packages]
  await runOrThrow('go', args, { cwd: dir, env: { CGO_ENABLED: '0' }, timeoutMs: BUILD_TIMEOUT_MS })
  return program
}
