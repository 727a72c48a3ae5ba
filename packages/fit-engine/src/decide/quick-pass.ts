import { type Candidates, StatusCode } from '@berth/types'
import type { Cycle, Participant } from '../framework/cycle.ts'
import type { FilterPass } from './filter-pass.ts'
import type { FilterSink } from '../framework/filter-sink.ts'
import { reservations } from '../framework/reservations.ts'

/** As `runFilters`, where nobody asks why a node was turned away, so that filters may use their short cuts. */
export function runFiltersQuickly(cycle: Cycle, candidates: Candidates): Omit<FilterPass, 'rejected'> {
  const sink = cycle.takeSink(candidates.count)
  /** They belong to the caller until the first of them is rejected. */
  let rows = candidates.rows
  let count = candidates.count
  const own = cycle.table.scratch.takeInts(count)
  const byRow = reservations(cycle)
  if (byRow.size > 0) {
    rows = rows.subarray(0, count).filter((row) => {
      const nominated = byRow.get(row)
      return nominated === undefined || cycle.filterRowWith(row, nominated) === undefined
    })
    count = rows.length
  }
  const funnel: { plugin: string; before: number; after: number }[] = []
  for (const participant of cycle.participants) {
    const { plugin, isFilterSkipped } = participant
    if (plugin.filter === undefined) continue
    const before = count
    if (!isFilterSkipped && count > 0) {
      if (plugin.keep !== undefined) count = cycle.keep(participant, { rows, count }, own)
      else if (cycle.filter(participant, { rows, count }, sink)) {
        count = keepSuccessful(cycle, participant, sink, { rows, count }, own)
      }
      if (count < before) rows = own
    }
    funnel.push({ plugin: plugin.name, before, after: count })
  }
  // The scratch array goes back; a view costs more than a short copy.
  const feasible = rows !== own && count === rows.length ? rows : rows.slice(0, count)
  cycle.giveBack(sink)
  cycle.table.scratch.giveBack(own)
  return { feasible, funnel }
}

function keepSuccessful(
  cycle: Cycle,
  participant: Participant,
  sink: FilterSink,
  { rows, count }: Candidates,
  target: Int32Array,
): number {
  const { codes } = sink
  let kept = 0
  for (let i = 0; i < count; i++) {
    const code = codes[i]
    if (code === StatusCode.Success) target[kept++] = rows[i] ?? 0
    // It throws where the code is no verdict.
    else if (code !== StatusCode.Unschedulable) cycle.refusal(participant, sink, i)
  }
  return kept
}
