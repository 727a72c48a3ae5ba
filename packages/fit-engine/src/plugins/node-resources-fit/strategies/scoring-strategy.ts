import { type Amount, addAmounts } from '../../../state/resources/amount.ts'

/** Up to here amounts times 100 are exact in a double, and so is the truncated quotient. */
export const EXACT_SCORE_LIMIT = 90_000_000_000_000

/** One resource of many candidates. */
export interface ScoreBatch {
  /** Rows of the candidates. */
  readonly rows: Int32Array
  readonly count: number
  /** By row what is requested already; NaN beyond a double. */
  readonly used: Float64Array
  /** By row what is allocatable; NaN beyond a double. */
  readonly has: Float64Array
  /** What the pod asks for; NaN beyond a double. */
  readonly asked: number
  readonly weight: number
  /** No amount is negative, and no sum of two times 100 beyond a double. */
  readonly isPlain: boolean
}

/** By candidate. */
export interface ScoreSums {
  /** Sum of score times weight. */
  readonly scores: Float64Array
  /** Sum of the weights of the resources that count. */
  readonly weights: Float64Array
}

/**
 * How one resource of a node is scored, 0 to 100: a pure function of what is requested (the pod included) and what
 * is allocatable, in two forms of the same rule. A node that offers nothing of the resource is left out.
 */
export interface ScoringStrategy {
  /**
   * Adds the resource to the sums of the candidates from `start` on. Answers the first candidate whose amounts are
   * not within 0..{@link EXACT_SCORE_LIMIT} and need the other form; `count` when there is none.
   */
  addNumbers(batch: ScoreBatch, start: number, sums: ScoreSums): number
  /**
   * The short way for exactly two plain resources: writes the weighted mean into `scores`, up to the first candidate
   * that does not offer both, and answers it; `count` when there is none.
   */
  scorePair?(first: ScoreBatch, second: ScoreBatch, scores: Float64Array): number
  /** For every int64; wraps as Go does. Allocatable is not 0. */
  ofBigints(requested: bigint, allocatable: bigint): bigint
  /** A resource with score 0 does not count at all, not even its weight. */
  readonly isZeroLeftOut: boolean
  /** Makes the sums of the candidates from `start` up to `count` weighted means, in `scores`. */
  average(sums: ScoreSums, start: number, count: number): void
}

/** The score of one resource, whatever the size of the amounts. */
export function exactScore(strategy: ScoringStrategy, used: Amount, asked: Amount, allocatable: Amount): number {
  return Number(strategy.ofBigints(BigInt(addAmounts(used, asked)), BigInt(allocatable)))
}

/** int64 product, wrapped as Go wraps it. */
export function wrappedProduct(a: bigint, b: bigint): bigint {
  return BigInt.asIntN(64, a * b)
}
