import type { NodePlan } from '../plan/node-plan.ts'

/**
 * Times after a lowering at which the pods of the node are read again, milliseconds. A scheduler that has not seen the lowering
 * may still bind a pod to the former units: usually for less than a second, and at most until its view is too old for a decision,
 * which is after 120 s by default.
 */
const CHECKS_MS = [15_000, 130_000] as const

interface Entry {
  readonly resourceName: string
  /** Units before the lowering. */
  readonly from: bigint
  readonly atMs: number
  /** Number of checks that were made. */
  readonly checks: number
}

/** Remembers which resources were lowered a short time ago. Times are monotonic. */
export interface LoweringChecks {
  /** Returns the former units of the resources of a node that must be checked now, by name. */
  due(nodeName: string, nowMs: number): ReadonlyMap<string, bigint>
  /** Notes that the resources that were due have been checked. */
  checked(nodeName: string, nowMs: number): void
  /** Notes a plan that was written. */
  written(plan: Pick<NodePlan, 'nodeName' | 'lowered'>, nowMs: number): void
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
  const dueMs = ({ atMs, checks }: Entry): number => atMs + (CHECKS_MS[checks] ?? Infinity)

  return {
    due: (nodeName, nowMs) =>
      new Map(
        entriesOf(nodeName).flatMap((entry) => (dueMs(entry) <= nowMs ? [[entry.resourceName, entry.from]] : [])),
      ),
    checked(nodeName, nowMs) {
      const entries = entriesOf(nodeName).map((entry) =>
        dueMs(entry) <= nowMs ? { ...entry, checks: entry.checks + 1 } : entry,
      )
      keep(
        nodeName,
        entries.filter(({ checks }) => checks < CHECKS_MS.length),
      )
    },
    written({ nodeName, lowered }, nowMs) {
      const others = entriesOf(nodeName).filter(({ resourceName }) => !lowered.has(resourceName))
      const added = [...lowered].map(([resourceName, { from }]) => ({ resourceName, from, atMs: nowMs, checks: 0 }))
      keep(nodeName, [...others, ...added])
    },
    nextMs(nodeName, nowMs) {
      const times = entriesOf(nodeName).map((entry) => Math.max(0, dueMs(entry) - nowMs))
      return times.length === 0 ? undefined : Math.min(...times)
    },
    forget: (nodeName) => void nodes.delete(nodeName),
  }
}
