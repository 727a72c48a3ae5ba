import type { NodePlan } from '../plan/plan-node.ts'

const FREE_REPEATS = 2
const LONGEST_DELAY_MS = 60_000
const FORGET_AFTER_MS = 600_000

/** Slows down when the same write to the same node is needed again and again: somebody else keeps undoing it. */
export interface WritePace {
  /** How long this plan's write must still wait, milliseconds; 0: write now. */
  delayMs(plan: NodePlan, nowMs: number): number
  wrote(plan: NodePlan, nowMs: number): void
  /** How many times in a row the node was given the same values; 1 is the usual first time. */
  repeats(nodeName: string): number
  forget(nodeName: string): void
}

/**
 * A pace with doubling delays from one second up to a minute; the second write of the same values is still free,
 * and ten quiet minutes forgive everything. Times are monotonic.
 */
export function createWritePace(): WritePace {
  const lastByNode = new Map<string, { readonly values: string; readonly atMs: number; readonly repeats: number }>()
  const valuesOf = (plan: NodePlan): string => JSON.stringify(plan.patch?.status ?? null)

  return {
    delayMs(plan, nowMs) {
      const last = lastByNode.get(plan.nodeName)
      if (last === undefined || last.values !== valuesOf(plan) || last.repeats < FREE_REPEATS) return 0
      const delayMs = Math.min(1_000 * 2 ** (last.repeats - FREE_REPEATS), LONGEST_DELAY_MS)
      return Math.max(0, last.atMs + delayMs - nowMs)
    },
    wrote(plan, nowMs) {
      const values = valuesOf(plan)
      const last = lastByNode.get(plan.nodeName)
      const isRepeat = last !== undefined && last.values === values && nowMs - last.atMs < FORGET_AFTER_MS
      lastByNode.set(plan.nodeName, { values, atMs: nowMs, repeats: isRepeat ? last.repeats + 1 : 1 })
    },
    repeats: (nodeName) => lastByNode.get(nodeName)?.repeats ?? 0,
    forget: (nodeName) => void lastByNode.delete(nodeName),
  }
}
