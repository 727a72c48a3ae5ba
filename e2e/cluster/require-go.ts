import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CannotRunError } from './cannot-run.ts'
import { runCommand, type CommandResult } from './run-command.ts'

const modules = join(import.meta.dirname, '..', 'node-image', 'modules')

/**
 * Refuses a Go that cannot build kind, kubectl and Kubernetes.
 *
 * @param said - How `go version` ended.
 * @param least - For example `1.26.8`.
 * @throws CannotRunError saying what to install.
 */
export function requireGoVersion({ status, stdout, stderr }: CommandResult, least: string): void {
  const [, have] = /^go version go(\d+(?:\.\d+)*)/.exec(stdout) ?? []
  if (status === 0 && have !== undefined && compareVersions(have, least) >= 0) return
  const found =
    have !== undefined
      ? `that on PATH is Go ${have}`
      : status === 127
        ? 'there is none on PATH'
        : `go version says: ${(stderr || stdout).trim().slice(-300)}`
  throw new CannotRunError(
    `Go ${least} or newer builds kind, kubectl and Kubernetes here, and ${found}. Install it (go.dev/dl), or test a cluster that exists with --provider existing.`,
  )
}

/**
 * Looks for a Go that is as new as every module of `node-image/modules` wants it. It is asked in one of their folders,
 * where a Go that may fetch a newer one of itself is as good as that.
 *
 * @throws CannotRunError saying what to install.
 */
export async function requireGo(): Promise<void> {
  const wanted = readdirSync(modules).flatMap((name) => {
    const [, version] = /^go (\S+)$/m.exec(readFileSync(join(modules, name, 'go.mod'), 'utf8')) ?? []
    return version === undefined ? [] : [{ name, version }]
  })
  const [most] = wanted.toSorted((a, b) => compareVersions(b.version, a.version))
  if (most === undefined) throw new Error(`${modules}: no go.mod says which Go it wants`)
  const said = await runCommand('go', ['version'], { cwd: join(modules, most.name), timeoutMs: 5 * 60_000 })
  requireGoVersion(said, most.version)
}

/** Negative where `a` is older. Words after the numbers, such as `rc1`, do not count. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)))
  for (let i = 0; i < 3; i++) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
