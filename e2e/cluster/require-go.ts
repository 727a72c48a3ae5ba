import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CannotRunError } from './cannot-run.ts'
import { runCommand, type CommandResult } from './run-command.ts'

const modules = join(import.meta.dirname, '..', 'node-image', 'modules')

/**
 * Refuses a Go version that cannot build kind, kubectl and Kubernetes.
 *
 * @param result - Result of `go version`.
 * @param minimum - For example `1.26.8`.
 * @throws CannotRunError saying what to install.
 */
export function requireGoVersion({ status, stdout, stderr }: CommandResult, minimum: string): void {
  const [, have] = /^go version go(\d+(?:\.\d+)*)/.exec(stdout) ?? []
  if (status === 0 && have !== undefined && compareVersions(have, minimum) >= 0) return
  const found =
    have !== undefined
      ? `that on PATH is Go ${have}`
      : status === 127
        ? 'there is no Go on PATH'
        : `go version says: ${(stderr || stdout).trim().slice(-300)}`
  throw new CannotRunError(
    `Go ${minimum} or newer builds kind, kubectl and Kubernetes here, and ${found}. Install it (go.dev/dl), or test an existing cluster with --provider existing.`,
  )
}

/**
 * Requires the Go version that the modules in `node-image/modules` need. Runs `go version` in the directory of the
 * module with the highest version: a Go that may download newer toolchains then reports the version of that toolchain.
 *
 * @throws CannotRunError saying what to install.
 */
export async function requireGo(): Promise<void> {
  const required = readdirSync(modules).flatMap((name) => {
    const [, version] = /^go (\S+)$/m.exec(readFileSync(join(modules, name, 'go.mod'), 'utf8')) ?? []
    return version === undefined ? [] : [{ name, version }]
  })
  const [newest] = required.toSorted((a, b) => compareVersions(b.version, a.version))
  if (newest === undefined) throw new Error(`${modules}: no go.mod names a Go version`)
  const result = await runCommand('go', ['version'], { cwd: join(modules, newest.name), timeoutMs: 5 * 60_000 })
  requireGoVersion(result, newest.version)
}

/** Returns a negative number if `a` is older. Ignores suffixes such as `rc1`. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)))
  for (let i = 0; i < 3; i++) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
