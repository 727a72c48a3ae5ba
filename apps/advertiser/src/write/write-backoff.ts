import { backoffMs } from '@berth/clock'
import type { NodePlan } from '../plan/plan-node.ts'

const UNDELAYED_WRITES = 2
const LIMITS = { initialMs: 1_000, maxMs: 60_000 }
const RESET_AFTER_MS = 600_000

/** Delays repeated identical writes to one node, because another writer keeps undoing them. */
export interface WriteBackoff {
  /** Returns the remaining delay of this plan's write, milliseconds; 0 allows the write now. */
  delayMs(plan: NodePlan, nowMs: number): number
  recordWrite(plan: NodePlan, nowMs: number): void
  /** Returns how many times in a row the same values were written to the node. */
  repeats(nodeName: string): number
  forget(nodeName: string): void
}

/**
 * Creates a backoff with delays that double from one second up to one minute. The second write of the same values is
 * not delayed, and ten minutes without a write reset the backoff. Times are monotonic.
 */
export function createWriteBackoff(): WriteBackoff {
  const lastByNode = new Map<string, { readonly values: string; readonly atMs: number; readonly repeats: number }>()
  const valuesOf = (plan: NodePlan): string => JSON.stringify(plan.patch?.status ?? null)

  return {
    delayMs(plan, nowMs) {
      const last = lastByNode.get(plan.nodeName)
      if (last === undefined || last.values !== valuesOf(plan) || last.repeats < UNDELAYED_WRITES) return 0
      const delayMs = backoffMs(last.repeats - UNDELAYED_WRITES + 1, LIMITS)
      return Math.max(0, last.atMs + delayMs - nowMs)
    },
    recordWrite(plan, nowMs) {
      const values = valuesOf(plan)
      const last = lastByNode.get(plan.nodeName)
      const isRepeat = last !== undefined && last.values === values && nowMs - last.atMs < RESET_AFTER_MS
      lastByNode.set(plan.nodeName, { values, atMs: nowMs, repeats: isRepeat ? last.repeats + 1 : 1 })
    },
    repeats: (nodeName) => lastByNode.get(nodeName)?.repeats ?? 0,
    forget: (nodeName) => void lastByNode.delete(nodeName),
  }
}
