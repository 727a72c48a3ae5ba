/** The highest value and how often it occurs; `ties` is 0 when there are no values. */
export interface Highest {
  readonly top: number
  readonly ties: number
  /** Index of the first value outside 0..limit. When set, `top` and `ties` are meaningless. */
  readonly outOfRangeIndex?: number
}

/** Returns the highest of the values, which must all be in 0..limit. */
export function highestOf(values: Float64Array, limit: number): Highest {
  return scan(values, values.length, limit)
}

/**
 * Takes the count as an argument, because reading the array's length takes half of the loop's time. A value equal to
 * the highest so far is in range, so most values need one comparison.
 */
function scan(values: Float64Array, count: number, limit: number): Highest {
  let top = -1
  let ties = 0
  for (let i = 0; i < count; i++) {
    const value = values[i] ?? 0
    if (value === top && ties > 0) {
      ties += 1
    } else if (value > top) {
      if (value > limit) return { top, ties, outOfRangeIndex: i }
      top = value
      ties = 1
    } else if (!(value >= 0)) {
      return { top, ties, outOfRangeIndex: i }
    }
  }
  return { top, ties }
}

/** Returns the index of the `n`th occurrence of the highest value, counted from 0; -1 when there are fewer. */
export function nthIndexOf(values: Float64Array, { top, ties }: Highest, n: number): number {
  if (n >= ties) return -1
  return ties === values.length ? n : findNth(values, values.length, top, n)
}

function findNth(values: Float64Array, count: number, value: number, n: number): number {
  let remaining = n
  for (let i = 0; i < count; i++) if (values[i] === value && remaining-- === 0) return i
  return -1
}

/** Returns all indexes of the highest value, ascending. */
export function indexesOf(values: Float64Array, { top, ties }: Highest): Int32Array {
  const indexes = new Int32Array(ties)
  let found = 0
  for (let i = 0; found < ties && i < values.length; i++) if (values[i] === top) indexes[found++] = i
  return found === ties ? indexes : indexes.slice(0, found)
}
