import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runOrThrow } from '../cluster/run-command.ts'

const BUILD_TIMEOUT_MS = 60 * 60_000
const MODULE = 'k8s.io/kubernetes'

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
  mkdirSync(dir, { recursive: true })
  const go = (...args: readonly string[]): Promise<string> =>
    runOrThrow('go', args, { cwd: dir, env: { CGO_ENABLED: '0' }, timeoutMs: BUILD_TIMEOUT_MS })
  const { Dir } = JSON.parse(await go('mod', 'download', '-json', `${MODULE}@${version}`)) as { readonly Dir: string }
  for (const name of ['go.mod', 'go.sum']) {
    copyFileSync(join(Dir, name), join(dir, name))
  }
  // The module names its own libraries with version v0.0.0 and takes them from its source tree.
  const { Require } = JSON.parse(await go('mod', 'edit', '-json')) as {
    readonly Require: readonly { readonly Path: string; readonly Version: string }[]
  }
  const replaced = Require.filter((each) => each.Version === 'v0.0.0').map(
    ({ Path }) => `-replace=${Path}=${Path}@${version.replace(/^v1\./, 'v0.')}`,
  )
  await go('mod', 'edit', '-module=kube-scheduler', ...replaced, `-require=${MODULE}@${version}`)
  await go('build', '-mod=mod', '-trimpath', '-ldflags=-s -w', '-o', program, `${MODULE}/cmd/kube-scheduler`)
  return program
}
