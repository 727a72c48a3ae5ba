import type { ScoreSums } from './scoring-strategy.ts'

/** Computes weighted means, truncated; 0 where nothing counts. Sums must be in 0..2^31. */
export function truncatedMean({ scores, weights }: ScoreSums, start: number, count: number): void {
  for (let i = start; i < count; i++) {
    const weight = weights[i] ?? 0
    scores[i] = weight === 0 ? 0 : Math.trunc((scores[i] ?? 0) / weight)
  }
}

/** Computes weighted means, rounded half up; 0 where nothing counts. */
export function roundedMean({ scores, weights }: ScoreSums, start: number, count: number): void {
  for (let i = start; i < count; i++) {
    const weight = weights[i] ?? 0
    scores[i] = weight === 0 ? 0 : Math.round((scores[i] ?? 0) / weight)
  }
}
