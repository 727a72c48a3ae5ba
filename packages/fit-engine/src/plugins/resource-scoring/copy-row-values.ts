import type { Candidates } from '@berth/types'

/** Copies the cached values of the candidates' rows to `scores`. */
export function copyRowValues(cached: Float64Array, { rows, count }: Candidates, scores: Float64Array): void {
  for (let i = 0; i < count; i++) scores[i] = cached[rows[i] ?? 0] ?? 0
}
