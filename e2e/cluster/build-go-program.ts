import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runOrThrow } from './run-command.ts'

/** A program of a Go module. */
export interface GoProgram {
  /** Folder with the go.mod and go.sum that pin the versions. */
  readonly module: string
  readonly package: string
  /** Path of the result. A hash of what it was built from is beside it. */
  readonly path: string
  /** `go build`, or `go test -c` for a package that consists of tests. Default: `build`. */
  readonly command?: readonly string[]
  /** Flags of the linker, in addition to `-s -w`, which leave out symbols and debug information. */
  readonly linkerFlags?: string
}

/** Builds a program from its Go module, or finds one that was built from the same versions with the same flags. */
export async function buildGoProgram(program: GoProgram, log: (text: string) => void): Promise<void> {
  const { module, path, command = ['build'], linkerFlags = '' } = program
  const args = [...command, '-trimpath', '-ldflags', `-s -w ${linkerFlags}`, '-o', path, program.package]
  const hash = createHash('sha256').update(args.join('\n'))
  for (const file of ['go.mod', 'go.sum']) hash.update(await readFile(join(module, file)))
  const recipe = `${hash.digest('hex')}\n`
  const recipeFile = `${path}.recipe`
  if (existsSync(path) && existsSync(recipeFile) && (await readFile(recipeFile, 'utf8')) === recipe) return
  log(`building ${path} (some minutes if nothing is cached)`)
  await runOrThrow('go', args, { cwd: module, env: { CGO_ENABLED: '0' }, timeoutMs: 60 * 60_000 })
  await writeFile(recipeFile, recipe)
}
