import { MAX_NODE_SCORE } from '@berth/types'

/**
 * Returns how evenly a node's resources are used, 0 to 100: 100 minus the standard deviation of the used shares in
 * percent.
 *
 * @param shares - Used share of each resource; values above 1 count as 1.
 * @param count - Number of resources.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go (v1.36)
 */
export function balance(shares: Float64Array, count: number): number {
  return Math.trunc((1 - deviation(shares, count)) * MAX_NODE_SCORE)
}

/** Returns the {@link balance} of two resources. Shares are not negative, so the result is at least 50. */
export function pairBalance(first: number, second: number): number {
  return Math.floor((1 - pairDeviation(first, second)) * MAX_NODE_SCORE)
}

function pairDeviation(first: number, second: number): number {
  return Math.abs((Math.min(1, first) - Math.min(1, second)) / 2)
}

/** Adds in Go's order, because results are truncated and must be equal to upstream's. */
function deviation(shares: Float64Array, count: number): number {
  if (count < 2) return 0
  if (count === 2) return pairDeviation(shares[0] ?? 0, shares[1] ?? 0)
  let total = 0
  for (let i = 0; i < count; i++) total += Math.min(1, shares[i] ?? 0)
  const mean = total / count
  let sum = 0
  for (let i = 0; i < count; i++) {
    const distance = Math.min(1, shares[i] ?? 0) - mean
    sum += distance * distance
  }
  return Math.sqrt(sum / count)
}
