import type { Random } from '@berth/types'

/** Delay before attempt `attempt` (0: the first after a loss), doubling, with a fifth of jitter either way. */
export function backoffMs(attempt: number, random: Random, limits = { firstMs: 300, mostMs: 10_000 }): number {
  const plain = Math.min(limits.firstMs * 2 ** Math.min(attempt, 30), limits.mostMs)
  return plain * (0.8 + 0.4 * random())
}
