import { seededRandom } from '@berth/clock/testing'

/** A deterministic source of random choices. */
export interface Choices {
  /** Returns a number in [0, 1). */
  number(): number
  /** Returns an integer in [from, to]. */
  integer(from: number, to: number): number
  /** Returns true with the given probability. */
  chance(probability: number): boolean
  /** Returns one of the items. */
  pick<T>(items: readonly T[]): T
  /** Returns between `from` and `to` results of `make`. */
  list<T>(from: number, to: number, make: (index: number) => T): T[]
  /** Returns `{ key: make() }` with the given probability, else `{}`; for optional fields. */
  maybe<K extends string, T>(probability: number, key: K, make: () => T): { readonly [P in K]?: T }
}

/** Returns a source of choices. The same `seed` gives the same choices. */
export function createChoices(seed: number): Choices {
  const number = seededRandom(seed)
  const integer = (from: number, to: number): number => from + Math.floor(number() * (to - from + 1))
  const pick = <T>(items: readonly T[]): T => {
    const item = items[integer(0, items.length - 1)]
    if (item === undefined && items.length === 0) throw new RangeError('pick an item: the list is empty')
    return item as T
  }
  return {
    number,
    integer,
    chance: (probability) => number() < probability,
    pick,
    list: (from, to, make) => Array.from({ length: integer(from, to) }, (_, index) => make(index)),
    maybe: <K extends string, T>(probability: number, key: K, make: () => T) =>
      (number() < probability ? { [key]: make() } : {}) as { readonly [P in K]?: T },
  }
}
