import { createHash } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Builds `tools/oracle` with Go, unless the cache has a build of the same source.
 *
 * @returns The path of the program.
 * @throws Error when Go is missing, or with the compiler's output.
 */
export function buildOracle(): string {
  const source = join(import.meta.dirname, '..', 'oracle')
  const hash = createHash('sha256')
  for (const name of readdirSync(source).toSorted()) hash.update(name).update(readFileSync(join(source, name)))
  const cacheDir = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'berth')
  const binary = join(cacheDir, `oracle-${hash.digest('hex').slice(0, 16)}`)
  if (existsSync(binary)) return binary
  mkdirSync(cacheDir, { recursive: true })
  console.error("Building the oracle from kube-scheduler's Go code (takes minutes, once) …")
  const { status, error, stderr } = spawnSync('go', ['build', '-trimpath', '-o', binary, '.'], {
    cwd: source,
    env: { ...process.env, CGO_ENABLED: '0' },
    encoding: 'utf8',
  })
  if (error) throw new Error(`build the oracle: ${error.message}: install Go 1.26 or newer`)
  if (status !== 0) throw new Error(`build the oracle: go build: ${stderr.trim()}`)
  return binary
}
