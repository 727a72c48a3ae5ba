import type { Random } from '@berth/types'

/** Returns a random element; undefined of an empty list. */
export function pick<T>(random: Random, values: readonly T[]): T | undefined {
  return values[Math.floor(random() * values.length)]
}

/** Returns a random element of a list that is not empty. */
export function pickOne<T>(random: Random, [first, ...rest]: readonly [T, ...T[]]): T {
  return pick(random, [first, ...rest]) ?? first
}
