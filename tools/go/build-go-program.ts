import { createHash } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** A Go program to build. */
export interface GoProgram {
  /** Names the program in messages, and its file in the cache. */
  readonly name: string
  /** Directory of the Go module. */
  readonly module: string
  /** Package to build; `.` for that of the module's directory. */
  readonly package: string
  /** Files of the module that determine the program. A build is reused while they are unchanged. */
  readonly files: readonly string[]
  readonly flags?: readonly string[]
}

/**
 * Builds a program with Go, unless the user's cache has a build of the same source.
 *
 * @returns The path of the program.
 * @throws Error when Go is missing, or with the compiler's output.
 */
export function buildGoProgram({ name, module, package: packagePath, files, flags = [] }: GoProgram): string {
  const hash = createHash('sha256')
  if (flags.length > 0) hash.update(flags.join('\0'))
  for (const file of files.toSorted()) hash.update(file).update(readFileSync(join(module, file)))
  const cacheDir = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'berth')
  const binary = join(cacheDir, `${name}-${hash.digest('hex').slice(0, 16)}`)
  if (existsSync(binary)) return binary
  mkdirSync(cacheDir, { recursive: true })
  console.error(`Building ${name} from its Go code (takes minutes, once) …`)
  const { status, error, stderr } = spawnSync('go', ['build', '-trimpath', ...flags, '-o', binary, packagePath], {
    cwd: module,
    env: { ...process.env, CGO_ENABLED: '0' },
    encoding: 'utf8',
  })
  if (error) throw new Error(`build ${name}: ${error.message}: install Go 1.26 or newer`)
  if (status !== 0) throw new Error(`build ${name}: go build: ${stderr.trim()}`)
  return binary
}
