import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildGoProgram } from '../go/build-go-program.ts'

/**
 * Builds `tools/oracle` with Go, unless the cache has a build of the same source.
 *
 * @returns The path of the program.
 * @throws Error when Go is missing, or with the compiler's output.
 */
export function buildOracle(): string {
  const module = join(import.meta.dirname, '..', 'oracle')
  return buildGoProgram({ name: 'oracle', module, package: '.', files: readdirSync(module) })
}
