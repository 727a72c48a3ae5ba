import { tenths } from '../../statistics.ts'

/** A point of a curve: the number of pods until a time, in milliseconds. */
export type CurvePoint = readonly [ms: number, count: number]

/**
 * Returns the cumulative count of times as a curve of at most `maxPoints` points, which are evenly distributed over the counts. The
 * curve continues horizontally to `endMs`. Times are rounded to a tenth of a millisecond.
 *
 * @param maxPoints - At least 3.
 */
export function sampleCurve(timesMs: readonly number[], endMs: number, maxPoints: number): readonly CurvePoint[] {
  const sorted = timesMs.toSorted((a, b) => a - b)
  const last = sorted.length - 1
  const steps = Math.min(last, maxPoints - 2)
  const indexes =
    steps < 1 ? sorted.keys() : Array.from({ length: steps + 1 }, (_, i) => Math.round((i * last) / steps))
  const sampled = Array.from(indexes, (i): CurvePoint => [tenths(sorted[i] ?? 0), i + 1])
  // Of several counts at one time, only the last one matters.
  const points = sampled.filter(([ms], i) => ms !== sampled[i + 1]?.[0])
  const [lastMs = Number.NEGATIVE_INFINITY] = points.at(-1) ?? []
  return endMs > lastMs ? [...points, [tenths(endMs), sorted.length]] : points
}
