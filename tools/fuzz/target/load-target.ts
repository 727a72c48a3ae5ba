import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FuzzTarget } from './fuzz-target.ts'

const SUFFIX = '.fuzz.ts'

/** Returns the name of the target in a file: `quantity` for `…/quantity.fuzz.ts`. */
export function targetName(file: string): string {
  return basename(file, SUFFIX)
}

/** Returns the folder with the corpus of the target in a file. */
export function corpusFolderOf(file: string): string {
  return join(dirname(file), 'corpus', targetName(file))
}

/**
 * Imports the target in a file.
 *
 * @throws TypeError if the module does not export `contract`, `refusals`, `parse` and `verify`
 */
export async function loadTarget(file: string): Promise<FuzzTarget> {
  const module = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Partial<FuzzTarget>
  const { contract, refusals, parse, verify, dictionary = [] } = module
  if (
    typeof contract !== 'string' ||
    !Array.isArray(refusals) ||
    typeof parse !== 'function' ||
    typeof verify !== 'function'
  )
    throw new TypeError(`load fuzz target ${file}: export contract, refusals, parse and verify`)
  return { name: targetName(file), corpusFolder: corpusFolderOf(file), contract, refusals, dictionary, parse, verify }
}
