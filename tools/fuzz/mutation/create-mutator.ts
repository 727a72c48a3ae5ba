import type { Random } from '@berth/types'
import { createChoices } from './choices.ts'
import { mutateBytes } from './mutate-bytes.ts'
import { mutateJson } from './mutate-json.ts'
import { SPECIAL_NAMES, SPECIAL_TEXTS } from './special-values.ts'

/** Returns a changed copy of an input. `pool`: the other inputs, of which parts may be taken. */
export type Mutator = (input: Uint8Array, pool: readonly Uint8Array[]) => Uint8Array

const MAX_INPUT_BYTES = 32 * 1024
const MAX_STEPS = 6

/**
 * Creates a mutator.
 *
 * @param options.dictionary - Words of the target.
 * @param options.literals - Returns words from the sources, of which most belong to other parsers.
 */
export function createMutator(options: {
  readonly random: Random
  readonly dictionary: readonly string[]
  readonly literals: () => readonly string[]
}): Mutator {
  const { random, dictionary, literals } = options
  const choices = createChoices(random)
  const word = (): string => {
    const sources = [dictionary, dictionary, literals(), SPECIAL_TEXTS, SPECIAL_NAMES]
    return choices.pick(choices.pick(sources) ?? []) ?? choices.pick(SPECIAL_TEXTS) ?? ''
  }
  return (input, pool) => {
    const other = (): Uint8Array => choices.pick(pool) ?? input
    let changed = input
    for (let steps = 1 + Math.floor(random() ** 2 * MAX_STEPS); steps > 0; steps--) {
      const words = [word(), word(), word()]
      const inJson = choices.chance(0.5) ? mutateJson(changed, choices, { words, donor: other() }) : undefined
      changed = inJson ?? mutateBytes(changed, choices, { word: () => Buffer.from(word()), other })
    }
    return changed.length > MAX_INPUT_BYTES ? changed.subarray(0, MAX_INPUT_BYTES) : changed
  }
}
