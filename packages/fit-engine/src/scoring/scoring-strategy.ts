import { type Amount, addAmounts } from '../state/amount.ts'

/** Up to here amounts times 100 are exact in a double, and so is the truncated quotient. */
export const EXACT_SCORE_LIMIT = 90_000_000_000_000

/**
 * How one resource of a node is scored, 0 to 100: a pure function of what is requested (the pod included) and what
 * is allocatable, in two forms of the same rule. Allocatable is never 0.
 */
export interface ScoringStrategy {
  /** For whole numbers with 0 <= requested and 0 < allocatable, neither above {@link EXACT_SCORE_LIMIT}. */
  ofNumbers(requested: number, allocatable: number): number
  /** For every int64; wraps as Go does. */
  ofBigints(requested: bigint, allocatable: bigint): bigint
  /** A resource with score 0 does not count at all, not even its weight. */
  readonly isZeroLeftOut: boolean
  /** The weighted mean of the resources. */
  average(sum: number, weight: number): number
}

/** The score of one resource, whatever the size of the amounts. */
export function exactScore(strategy: ScoringStrategy, used: Amount, asked: Amount, allocatable: Amount): number {
  return Number(strategy.ofBigints(BigInt(addAmounts(used, asked)), BigInt(allocatable)))
}

/** int64 product, wrapped as Go wraps it. */
export function wrappedProduct(a: bigint, b: bigint): bigint {
  return BigInt.asIntN(64, a * b)
}
