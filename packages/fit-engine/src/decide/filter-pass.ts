import { type Candidates, type Pod, StatusCode } from '@berth/types'
import type { Cycle, CyclePlugin } from '../framework/cycle.ts'
import type { FilterSink } from '../framework/filter-sink.ts'
import { RejectedRows } from './rejected-nodes.ts'
import { nominatedPodsByRow } from '../framework/nominated-pods.ts'

/** Rows that passed the filters. */
export interface FeasibleRows {
  readonly feasible: Int32Array
  /** The array from the pool of the cluster table that `feasible` is a view of; undefined if `feasible` has its own. */
  readonly pooledFeasible?: Int32Array
  /** Rows before and after each filter, in the order in which they ran. */
  readonly funnel: readonly { readonly plugin: string; readonly before: number; readonly after: number }[]
}

/** Rows that passed the filters, and rows that did not. */
export interface FilterPass extends FeasibleRows {
  /** Rows that did not pass, with their statuses. */
  readonly rejected: RejectedRows
}

/**
 * Runs the filters over the candidates. Each filter sees the rows that passed the previous ones, so a node has the
 * reasons of the first filter that rejected it. A node with nominated pods must pass with and without them.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/runtime/framework.go RunFilterPluginsWithNominatedPods (v1.36)
 */
export function runFilters(cycle: Cycle, candidates: Candidates): FilterPass {
  const rejected = new RejectedRows(candidates.count)
  const sink = cycle.takeSink(candidates.count)
  /** The caller's array until the first candidate is rejected; it must not be written. */
  let rows = candidates.rows
  let count = candidates.count
  const byRow = nominatedPodsByRow(cycle)
  if (byRow.size > 0) {
    rows = rows.slice(0, count).filter((row) => passesWithNominated(cycle, row, byRow.get(row), rejected))
    count = rows.length
  }
  const funnel: { plugin: string; before: number; after: number }[] = []
  for (const entry of cycle.filters) {
    const { plugin } = entry
    if (plugin.filter === undefined) continue
    const before = count
    if (!entry.isFilterSkipped && count > 0 && cycle.filter(entry, { rows, count }, sink)) {
      const target = rows === candidates.rows ? new Int32Array(count) : rows
      count = recordRejected(cycle, entry, sink, { rows, count, target, rejected })
      rows = target
    }
    funnel.push({ plugin: plugin.name, before, after: count })
  }
  cycle.returnSink(sink)
  return { feasible: rows.subarray(0, count), rejected, funnel }
}

/** Writes the rows that passed to `target`, records the others with their statuses, and returns how many passed. */
export function recordRejected(
  cycle: Cycle,
  entry: CyclePlugin,
  sink: FilterSink,
  {
    rows,
    count,
    target,
    rejected,
  }: {
    readonly rows: Int32Array
    readonly count: number
    readonly target: Int32Array
    readonly rejected: RejectedRows
  },
): number {
  const { codes } = sink
  let passed = 0
  let last = -1
  let status = -1
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    if (codes[i] === StatusCode.Success) {
      target[passed++] = row
      continue
    }
    if (last < 0 || codes[i] !== codes[last] || sink.reasonsIdOf(i) !== sink.reasonsIdOf(last)) {
      status = rejected.register(cycle.rejectionOf(entry, sink, i, row))
    }
    last = i
    rejected.addRegistered(row, status)
  }
  return passed
}

/** Returns whether the pod fits beside the pods nominated for the row; if not, records the rejection. */
function passesWithNominated(
  cycle: Cycle,
  row: number,
  nominated: readonly Pod[] | undefined,
  rejected: RejectedRows,
): boolean {
  const status = nominated && cycle.filterRowWith(row, nominated)
  if (status === undefined) return true
  rejected.add(row, status.plugin, status.code, status.reasons)
  return false
}
