import { drawIndex } from './draw-index.ts'

/** Number of guesses before all values are searched. */
const MAX_GUESSES = 32

/** Returns the highest of the values, which must all be 0 or more; -1 when there are none. */
export function highestOf(values: Float64Array): number {
  let highest = -1
  // Reading the array's length in each turn would double the time of the loop.
  for (let i = 0, { length } = values; i < length; i++) {
    const value = values[i] ?? 0
    if (value > highest) highest = value
  }
  return highest
}

/** Returns all indexes of the value, ascending. */
export function indexesOf(values: Float64Array, value: number): readonly number[] {
  const indexes: number[] = []
  for (let i = 0, { length } = values; i < length; i++) if ((values[i] ?? 0) === value) indexes.push(i)
  return indexes
}

/**
 * Returns one of the indexes of the value at random, each with the same probability; -1 when there is none. It guesses
 * first: if many values are equal, that is much faster than searching all of them.
 *
 * @param random - Returns a number in [0, 1).
 */
export function pickIndex(values: Float64Array, value: number, random: () => number): number {
  const { length } = values
  for (let guesses = 0; guesses < MAX_GUESSES; guesses++) {
    const guess = drawIndex(length, random)
    if (values[guess] === value) return guess
  }
  const indexes = indexesOf(values, value)
  return indexes[drawIndex(indexes.length, random)] ?? -1
}
