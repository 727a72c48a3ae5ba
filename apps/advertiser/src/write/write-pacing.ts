import { backoffMs } from '@berth/clock'
import type { Change, NodePlan } from '../plan/node-plan.ts'

const UNDELAYED_WRITES = 2
const LIMITS = { initialMs: 1_000, maxMs: 60_000 }
const RESET_AFTER_MS = 600_000
/** The key of the ownership annotations, which no resource has as its name. */
const RECORD = ''

interface LastWrite {
  /** A resource name, or {@link RECORD}. */
  readonly key: string
  readonly value: string
  readonly atMs: number
  readonly repeats: number
}

/** Delays repeated writes of one value of one name on one node, because another writer keeps undoing them. */
export interface WritePacing {
  /** Returns the remaining delay of writing this change, milliseconds; 0 allows the write now. */
  changeDelayMs(nodeName: string, change: Change, nowMs: number): number
  /** Returns the remaining delay of writing only the ownership annotations, milliseconds. */
  recordDelayMs(nodeName: string, nowMs: number): number
  /**
   * Records a write.
   *
   * @returns How many times in a row the same value was written, by resource name, for the changes of the plan.
   */
  recordWrite(plan: NodePlan, nowMs: number): ReadonlyMap<string, number>
  forget(nodeName: string): void
}

/**
 * Creates a pacing with delays that double from one second up to one minute. The second write of the same value is not
 * delayed, and ten minutes without a write of the name reset its delays. Times are monotonic.
 */
export function createWritePacing(): WritePacing {
  // A list, because a node has one or two entries, and thousands of maps would cost megabytes.
  const nodes = new Map<string, readonly LastWrite[]>()
  const lastWrite = (nodeName: string, key: string): LastWrite | undefined =>
    nodes.get(nodeName)?.find((write) => write.key === key)

  const delayMs = (nodeName: string, key: string, value: string, nowMs: number): number => {
    const last = lastWrite(nodeName, key)
    if (last === undefined || last.value !== value || last.repeats < UNDELAYED_WRITES) return 0
    return Math.max(0, last.atMs + backoffMs(last.repeats - UNDELAYED_WRITES + 1, LIMITS) - nowMs)
  }
  const record = (nodeName: string, key: string, value: string, nowMs: number): number => {
    const last = lastWrite(nodeName, key)
    const isRepeat = last !== undefined && last.value === value && nowMs - last.atMs < RESET_AFTER_MS
    const repeats = isRepeat ? last.repeats + 1 : 1
    const others = nodes.get(nodeName)?.filter((write) => write !== last) ?? []
    nodes.set(nodeName, [...others, { key, value, atMs: nowMs, repeats }])
    return repeats
  }

  return {
    changeDelayMs: (nodeName, change, nowMs) => delayMs(nodeName, change.resourceName, valueOf(change), nowMs),
    recordDelayMs: (nodeName, nowMs) => delayMs(nodeName, RECORD, RECORD, nowMs),
    recordWrite(plan, nowMs) {
      if (plan.changes.length === 0) record(plan.nodeName, RECORD, RECORD, nowMs)
      return new Map(
        plan.changes.map((change) => [
          change.resourceName,
          record(plan.nodeName, change.resourceName, valueOf(change), nowMs),
        ]),
      )
    },
    forget: (nodeName) => void nodes.delete(nodeName),
  }
}

function valueOf(change: Change): string {
  return `${change.kind} ${'units' in change ? (change.units ?? '') : ''}`
}
