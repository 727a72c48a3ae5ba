import type { NodePlan } from '../plan/node-plan.ts'

/**
 * Times after a lowering at which the pods of the node are read again, milliseconds. A scheduler that has not seen the lowering
 * may still bind a pod to the former units: usually for less than a second, and at most until its view is too old for a decision,
 * which is after 120 s by default.
 */
const CHECKS_MS = [15_000, 130_000] as const
/** A check that was not possible is made again after this time, milliseconds. */
const POSTPONED_MS = 15_000

interface Entry {
  readonly resourceName: string
  /** The most units that the node offered before the lowerings that are not checked completely. */
  readonly from: bigint
  readonly atMs: number
  /** Number of checks that were made. */
  readonly checks: number
  readonly dueMs: number
}

/** Remembers which resources were lowered a short time ago. Times are monotonic. */
export interface LoweringChecks {
  /** Returns the former units of the resources of a node that must be checked now, by name. */
  due(nodeName: string, nowMs: number): ReadonlyMap<string, bigint>
  /**
   * Notes which of the resources that were due have been checked.
   *
   * @param postponed - Names of those that could not be checked.
   */
  checked(nodeName: string, due: Iterable<string>, postponed: ReadonlySet<string>, nowMs: number): void
  /** Notes a plan before it is written: the write may take effect without a response. */
  lowering(plan: Pick<NodePlan, 'nodeName' | 'lowered'>, nowMs: number): void
  /** Returns the time until the next check of a node, milliseconds; undefined when there is none. */
  nextMs(nodeName: string, nowMs: number): number | undefined
  forget(nodeName: string): void
}

/** Creates an empty memory of lowerings. */
export function createLoweringChecks(): LoweringChecks {
  const nodes = new Map<string, readonly Entry[]>()
  const entriesOf = (nodeName: string): readonly Entry[] => nodes.get(nodeName) ?? []
  const keep = (nodeName: string, entries: readonly Entry[]): void => {
    if (entries.length === 0) nodes.delete(nodeName)
    else nodes.set(nodeName, entries)
  }
  const afterCheck = (entry: Entry): readonly Entry[] => {
    const checks = entry.checks + 1
    const delayMs = CHECKS_MS[checks]
    return delayMs === undefined ? [] : [{ ...entry, checks, dueMs: entry.atMs + delayMs }]
  }

  return {
    due: (nodeName, nowMs) =>
      new Map(
        entriesOf(nodeName).flatMap(({ dueMs, resourceName, from }) => (dueMs <= nowMs ? [[resourceName, from]] : [])),
      ),
    checked(nodeName, due, postponed, nowMs) {
      const names = new Set(due)
      const entries = entriesOf(nodeName).flatMap((entry) => {
        // A resource that was lowered again meanwhile has a new time.
        if (!names.has(entry.resourceName) || entry.dueMs > nowMs) return [entry]
        return postponed.has(entry.resourceName) ? [{ ...entry, dueMs: nowMs + POSTPONED_MS }] : afterCheck(entry)
      })
      keep(nodeName, entries)
    },
    lowering({ nodeName, lowered }, nowMs) {
      const known = new Map(entriesOf(nodeName).map((entry) => [entry.resourceName, entry]))
      for (const [resourceName, { from }] of lowered) {
        // A pod may still be bound to the units before an earlier lowering.
        const before = known.get(resourceName)?.from ?? 0n
        const entry = { resourceName, from: before > from ? before : from, atMs: nowMs, checks: 0 }
        known.set(resourceName, { ...entry, dueMs: nowMs + CHECKS_MS[0] })
      }
      keep(nodeName, [...known.values()])
    },
    nextMs(nodeName, nowMs) {
      const times = entriesOf(nodeName).map(({ dueMs }) => Math.max(0, dueMs - nowMs))
      return times.length === 0 ? undefined : Math.min(...times)
    },
    forget: (nodeName) => void nodes.delete(nodeName),
  }
}
