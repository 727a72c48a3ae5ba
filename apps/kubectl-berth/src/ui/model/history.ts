import type { ClusterMoment, ClusterStep, NodeRow } from './cluster-step.ts'
import { totalsOf } from './build-ui-model.ts'
import { MAX_POINTS, mergedPoint, type UiPoint, withItem } from './ui-point.ts'

/** The states of a cluster over time, in bounded memory. */
export interface History {
  /** Adds what happened after the last step. */
  add(step: ClusterStep): void
  /** The last state; undefined before the first step. */
  latest(): ClusterMoment | undefined
  /** Returns the state at a time: that of the last point which is not later, or the first. */
  at(timeMs: number): ClusterMoment | undefined
  /** Returns the points with a number above this one, and the number of the last. The first point has number 1. */
  after(sequence: number): { readonly points: readonly UiPoint[]; readonly sequence: number }
}

/** Bounds of a history. */
export interface HistoryLimits {
  readonly maxPoints: number
  /** Rows of nodes that the points hold together. A row of ten resources takes about 1 KiB. */
  readonly maxRows: number
}

interface Stored {
  readonly sequence: number
  readonly point: UiPoint
  /** The rows that differ from those of the point before; of the first point, none. */
  readonly rows: ReadonlyMap<string, NodeRow | undefined>
}

/** About 50 MiB. */
const LIVE_LIMITS: HistoryLimits = { maxPoints: MAX_POINTS, maxRows: 50_000 }

/**
 * Creates an empty history. With too many points, older ones are merged; with too many changed rows, the oldest points are
 * dropped.
 */
export function createHistory({ maxPoints, maxRows }: HistoryLimits = LIVE_LIMITS): History {
  const base = new Map<string, NodeRow>()
  let current = new Map<string, NodeRow>()
  let stored: readonly Stored[] = []
  let sequence = 0

  const dropOldest = (): void => {
    let rowCount = stored.reduce((sum, { rows }) => sum + rows.size, 0)
    let dropped = 0
    while (rowCount > maxRows && dropped < stored.length - 1) {
      const next = stored[++dropped]
      apply(base, next?.rows ?? new Map())
      rowCount -= next?.rows.size ?? 0
    }
    stored = stored.slice(dropped).map((one, i) => (i === 0 && dropped > 0 ? { ...one, rows: new Map() } : one))
  }
  const momentOf = ({ point }: Stored, rows: ReadonlyMap<string, NodeRow>): ClusterMoment => ({
    timeMs: point.timeMs,
    pendingCount: point.pendingCount,
    rows,
  })

  return {
    add({ rows, ...rest }) {
      // A new map: callers may still hold the last state.
      current = apply(new Map(current), rows)
      const point = { ...rest, totals: totalsOf(current) }
      if (stored.length === 0) apply(base, rows)
      stored = withItem(
        stored,
        { sequence: ++sequence, point, rows: stored.length === 0 ? new Map() : rows },
        maxPoints,
        merged,
      )
      dropOldest()
    },
    latest() {
      const last = stored.at(-1)
      return last === undefined ? undefined : momentOf(last, current)
    },
    at(timeMs) {
      const last = Math.max(
        0,
        stored.findLastIndex(({ point }) => point.timeMs <= timeMs),
      )
      const found = stored[last]
      if (found === undefined) return undefined
      const rows = new Map(base)
      for (const one of stored.slice(0, last + 1)) apply(rows, one.rows)
      return momentOf(found, rows)
    },
    after: (known) => ({ points: stored.filter((one) => one.sequence > known).map(({ point }) => point), sequence }),
  }
}

function merged(first: Stored, second: Stored): Stored {
  return {
    sequence: second.sequence,
    point: mergedPoint(first.point, second.point),
    rows: new Map([...first.rows, ...second.rows]),
  }
}

function apply(rows: Map<string, NodeRow>, changed: ReadonlyMap<string, NodeRow | undefined>): Map<string, NodeRow> {
  for (const [node, row] of changed) {
    if (row === undefined) rows.delete(node)
    else rows.set(node, row)
  }
  return rows
}
