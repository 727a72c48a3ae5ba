import { type Amount, addAmounts } from '../../../state/resources/amount.ts'

/** Up to this limit amounts times 100, and the truncated quotient, are exact as doubles. */
export const EXACT_SCORE_LIMIT = 90_000_000_000_000

/** One resource of the candidates, for the fast scoring loops. */
export interface ScoreBatch {
  /** Rows of the candidates. */
  readonly rows: Int32Array
  readonly count: number
  /** By row: the amount already requested; NaN when it does not fit a double. */
  readonly requested: Float64Array
  /** By row: the allocatable amount; NaN when it does not fit a double. */
  readonly allocatable: Float64Array
  /** The pod's request; NaN when it does not fit a double. */
  readonly podRequest: number
  readonly weight: number
  /** Whether no amount is negative and every sum of two amounts times 100 fits a double. */
  readonly isPlain: boolean
}

/** Sums by candidate. */
export interface ScoreSums {
  /** Sum of score times weight. */
  readonly scores: Float64Array
  /** Sum of the weights of the resources that count. */
  readonly weights: Float64Array
}

/**
 * Scores one resource of a node, 0 to 100, by the requested amount (the pod included) and the allocatable amount. There
 * are two implementations of the same rule: one for doubles and one for every int64. A node without the resource is
 * skipped.
 */
export interface ScoringStrategy {
  /**
   * Adds the resource to the sums of the candidates from `start` on. Returns the first candidate whose amounts are not
   * in 0..{@link EXACT_SCORE_LIMIT} and need {@link ScoringStrategy.scoreExact}, or `count`.
   */
  addNumbers(batch: ScoreBatch, start: number, sums: ScoreSums): number
  /**
   * The fast path for exactly two plain resources: writes weighted means to `scores`. Returns the first candidate that
   * does not have both resources, where it stops, or `count`.
   */
  scorePair?(first: ScoreBatch, second: ScoreBatch, scores: Float64Array): number
  /** Scores any int64 amounts, with Go's wrapping. `allocatable` is not 0. */
  scoreExact(requested: bigint, allocatable: bigint): bigint
  /** Whether a resource with score 0 does not count, not even with its weight. */
  readonly ignoresZeroScores: boolean
  /** Replaces the sums in `scores` by weighted means, for candidates from `start` up to `count`. */
  average(sums: ScoreSums, start: number, count: number): void
}

/** Scores one resource for amounts of any size. */
export function exactScore(
  strategy: ScoringStrategy,
  requested: Amount,
  podRequest: Amount,
  allocatable: Amount,
): number {
  return Number(strategy.scoreExact(BigInt(addAmounts(requested, podRequest)), BigInt(allocatable)))
}

/** Returns the int64 product, wrapped as in Go. */
export function wrappedProduct(a: bigint, b: bigint): bigint {
  return BigInt.asIntN(64, a * b)
}
