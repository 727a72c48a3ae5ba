import type { Candidates } from '@berth/types'

/** Copies the answers of the candidates' rows. */
export function copyAnswers(known: Float64Array, { rows, count }: Candidates, scores: Float64Array): void {
  for (let i = 0; i < count; i++) scores[i] = known[rows[i] ?? 0] ?? 0
}
