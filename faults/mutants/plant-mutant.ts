import { registerHooks } from 'node:module'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Mutant } from './mutants.ts'

const root = join(import.meta.dirname, '../..')

/**
 * Returns the source text with the bug.
 *
 * @throws RangeError if the text that the mutant replaces does not occur exactly once.
 */
export function mutatedText(text: string, { name, file, from, to }: Mutant): string {
  const parts = text.split(from)
  if (parts.length !== 2) {
    throw new RangeError(`plant ${name}: ${file} has the text ${parts.length - 1} times: ${from.trim()}`)
  }
  return parts.join(to)
}

/** Reads the file of a mutant. */
export function sourceOf({ file }: Mutant): string {
  return readFileSync(join(root, file), 'utf8')
}

/** Replaces the source of one file in this process, for modules that are loaded later. */
export function plantMutant(mutant: Mutant): void {
  const url = pathToFileURL(join(root, mutant.file)).href
  const source = mutatedText(sourceOf(mutant), mutant)
  registerHooks({
    load: (loaded, context, nextLoad) =>
      loaded === url ? { ...nextLoad(loaded, context), source } : nextLoad(loaded, context),
  })
}
