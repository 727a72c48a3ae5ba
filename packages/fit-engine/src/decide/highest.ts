/** The highest value, and how many have it; `ties` is 0 where there are no values. */
export interface Highest {
  readonly top: number
  readonly ties: number
  /** The first place whose value is not in 0..limit; what else is said does not count then. */
  readonly bad?: number
}

/** Finds the highest of the values, each of which has to be in 0..limit. */
export function highestOf(values: Float64Array, limit: number): Highest {
  return scan(values, values.length, limit)
}

/**
 * A plain count: reading the length of the array each time takes half of the loop. What equals the highest so far is
 * in range as that is, so most values meet one comparison.
 */
function scan(values: Float64Array, count: number, limit: number): Highest {
  let top = -1
  let ties = 0
  for (let i = 0; i < count; i++) {
    const value = values[i] ?? 0
    if (value === top && ties > 0) {
      ties += 1
    } else if (value > top) {
      if (value > limit) return { top, ties, bad: i }
      top = value
      ties = 1
    } else if (!(value >= 0)) {
      return { top, ties, bad: i }
    }
  }
  return { top, ties }
}

/** Where the highest value is for the `n`th time, counted from 0; -1 where it is not there that often. */
export function nthPlaceOf(values: Float64Array, { top, ties }: Highest, n: number): number {
  if (n >= ties) return -1
  return ties === values.length ? n : seek(values, values.length, top, n)
}

function seek(values: Float64Array, count: number, value: number, n: number): number {
  let left = n
  for (let i = 0; i < count; i++) if (values[i] === value && left-- === 0) return i
  return -1
}

/** Every place of the value, ascending; there are `ties` of them, and never more are looked for than there are values. */
export function placesOf(values: Float64Array, { top, ties }: Highest): Int32Array {
  const places = new Int32Array(ties)
  let found = 0
  for (let i = 0; found < ties && i < values.length; i++) if (values[i] === top) places[found++] = i
  return found === ties ? places : places.slice(0, found)
}
