import { type Candidates, StatusCode } from '@berth/types'
import type { Cycle, CyclePlugin } from '../framework/cycle.ts'
import type { FeasibleRows } from './filter-pass.ts'
import type { FilterSink } from '../framework/filter-sink.ts'
import { nominatedPodsByRow } from '../framework/nominated-pods.ts'

/** Shorter lists of feasible rows are copied, which is cheaper than a view. */
const MIN_VIEW_LENGTH = 1024

/** Runs the filters as `runFilters` does, but does not record rejection reasons (the fast path). */
export function runFiltersFast(cycle: Cycle, candidates: Candidates): FeasibleRows {
  const sink = cycle.takeSink(candidates.count)
  /** The caller's array until the first candidate is rejected; it must not be written. */
  let rows = candidates.rows
  let count = candidates.count
  const buffer = cycle.table.scratch.takeInts(count)
  const byRow = nominatedPodsByRow(cycle)
  if (byRow.size > 0) {
    rows = rows.subarray(0, count).filter((row) => {
      const nominated = byRow.get(row)
      return nominated === undefined || cycle.filterRowWith(row, nominated) === undefined
    })
    count = rows.length
  }
  const funnel: { plugin: string; before: number; after: number }[] = []
  for (const entry of cycle.filters) {
    const { plugin, isFilterSkipped } = entry
    if (plugin.filter === undefined) continue
    const before = count
    if (!isFilterSkipped && count > 0) {
      if (plugin.filterRows !== undefined) count = cycle.filterRows(entry, { rows, count }, buffer)
      else if (cycle.filter(entry, { rows, count }, sink)) {
        count = copyPassedRows(cycle, entry, sink, { rows, count }, buffer)
      }
      if (count < before) rows = buffer
    }
    funnel.push({ plugin: plugin.name, before, after: count })
  }
  cycle.returnSink(sink)
  if (rows === buffer && count >= MIN_VIEW_LENGTH) {
    return { feasible: buffer.subarray(0, count), pooledFeasible: buffer, funnel }
  }
  // A copy, because the buffer goes back to the pool.
  const feasible = rows !== buffer && count === rows.length ? rows : rows.slice(0, count)
  cycle.table.scratch.giveBack(buffer)
  return { feasible, funnel }
}

function copyPassedRows(
  cycle: Cycle,
  entry: CyclePlugin,
  sink: FilterSink,
  { rows, count }: Candidates,
  target: Int32Array,
): number {
  const { codes } = sink
  let passed = 0
  for (let i = 0; i < count; i++) {
    const code = codes[i]
    if (code === StatusCode.Success) target[passed++] = rows[i] ?? 0
    // `rejectionOf` throws when the code is not a verdict on a node, or has no reason.
    else if (code !== StatusCode.Unschedulable || sink.reasonsIdOf(i) === 0) {
      cycle.rejectionOf(entry, sink, i, rows[i] ?? 0)
    }
  }
  return passed
}
