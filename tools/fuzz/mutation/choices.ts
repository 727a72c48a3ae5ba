import type { Random } from '@berth/types'

/** Random choices. */
export interface Choices {
  /** Returns a whole number from 0 to `count` - 1. */
  readonly below: (count: number) => number
  /** Returns an element; undefined from an empty list. */
  readonly pick: <T>(list: readonly T[]) => T | undefined
  /** Returns whether an event of this probability happens. */
  readonly chance: (probability: number) => boolean
}

/** Makes choices from a random source. */
export function createChoices(random: Random): Choices {
  const below = (count: number): number => Math.floor(random() * count)
  return { below, pick: (list) => list[below(list.length)], chance: (probability) => random() < probability }
}
