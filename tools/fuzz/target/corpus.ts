import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** One input with the name of its file. */
export interface CorpusEntry {
  readonly name: string
  readonly input: Uint8Array
}

/** Reads the inputs in a folder, sorted by name. A folder that does not exist has none. */
export function readCorpus(folder: string): readonly CorpusEntry[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .toSorted()
    .map((name) => ({ name, input: new Uint8Array(readFileSync(join(folder, name))) }))
}

/** Writes an input, named after its content, and returns the path of its file. */
export function writeInput(folder: string, prefix: string, input: Uint8Array): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${prefix}${hashOf(input)}`)
  writeFileSync(path, input)
  return path
}

/** Returns a short hash of an input. */
export function hashOf(input: Uint8Array): string {
  return createHash('sha256').update(input).digest('hex').slice(0, 12)
}
