/** The published summary of a list of samples. */
export interface Summary {
  readonly median: number
  readonly min: number
  readonly max: number
  readonly samples: number
}

const DIGITS = 4

/** Rounds to four significant digits; more would be noise. */
export function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS))
}

/**
 * Returns the median, minimum and maximum of the samples, rounded to four significant digits.
 *
 * @throws RangeError when there are no samples, or when one is not a finite number.
 */
export function summarize(samples: readonly number[]): Summary {
  const sorted = samples.toSorted((a, b) => a - b)
  const [min] = sorted
  const max = sorted.at(-1)
  if (min === undefined || max === undefined) throw new RangeError('summarize samples: there are no samples')
  if (!sorted.every(Number.isFinite)) throw new RangeError('summarize samples: one is not a finite number')
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? max
  const lower = sorted[Math.ceil(middle) - 1] ?? min
  return { median: rounded((lower + upper) / 2), min: rounded(min), max: rounded(max), samples: sorted.length }
}

/** Returns the 50th percentile (nearest rank); NaN without samples. */
export function p50(samples: readonly number[]): number {
  return percentile(samples, 0.5)
}

/** Returns the 99th percentile (nearest rank); NaN without samples. */
export function p99(samples: readonly number[]): number {
  return percentile(samples, 0.99)
}

function percentile(samples: readonly number[], share: number): number {
  return samples.toSorted((a, b) => a - b)[Math.ceil(samples.length * share) - 1] ?? Number.NaN
}

/** Returns a number rounded to tenths, as coordinates and times in pictures are written. */
export function tenths(value: number): number {
  return Math.round(value * 10) / 10
}
