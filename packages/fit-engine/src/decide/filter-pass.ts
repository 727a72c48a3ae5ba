import { type Candidates, type Pod, StatusCode } from '@berth/types'
import type { Cycle, Participant } from '../framework/cycle.ts'
import type { FilterSink } from '../framework/filter-sink.ts'
import { RejectedRows } from './rejected-nodes.ts'
import { reservations } from '../framework/reservations.ts'

/** What the filters left, and what they took away. */
export interface FilterPass {
  /** Rows that passed. */
  readonly feasible: Int32Array
  /** Rows that did not, with why. */
  readonly rejected: RejectedRows
  /** How many rows each filter saw and left, in the order in which they ran. */
  readonly funnel: readonly { readonly plugin: string; readonly before: number; readonly after: number }[]
}

/**
 * Runs the filters over the candidates, each on what those before it left, so that a node has the reasons of the
 * first filter that refused it. A node for which others are nominated must pass with and without them.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/runtime/framework.go RunFilterPluginsWithNominatedPods (v1.36)
 */
export function runFilters(cycle: Cycle, candidates: Candidates): FilterPass {
  const rejected = new RejectedRows()
  const sink = cycle.takeSink(candidates.count)
  /** They belong to the caller until the first of them is rejected. */
  let rows = candidates.rows
  let count = candidates.count
  const byRow = reservations(cycle)
  if (byRow.size > 0) {
    rows = rows.slice(0, count).filter((row) => hasRoomBeside(cycle, row, byRow.get(row), rejected))
    count = rows.length
  }
  const funnel: { plugin: string; before: number; after: number }[] = []
  for (const participant of cycle.participants) {
    const { plugin } = participant
    if (plugin.filter === undefined) continue
    const before = count
    if (!participant.isFilterSkipped && count > 0 && cycle.filter(participant, { rows, count }, sink)) {
      const target = rows === candidates.rows ? new Int32Array(count) : rows
      count = dropRejected(cycle, participant, sink, { rows, count, target, rejected })
      rows = target
    }
    funnel.push({ plugin: plugin.name, before, after: count })
  }
  cycle.giveBack(sink)
  return { feasible: rows.subarray(0, count), rejected, funnel }
}

/** Writes the rows that the filter left into `target` and says how many they are; the others are noted with why. */
function dropRejected(
  cycle: Cycle,
  participant: Participant,
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
  let kept = 0
  let last = -1
  let refusal = -1
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    if (codes[i] === StatusCode.Success) {
      target[kept++] = row
      continue
    }
    if (last < 0 || codes[i] !== codes[last] || sink.listOf(i) !== sink.listOf(last)) {
      refusal = rejected.known(cycle.refusal(participant, sink, i))
    }
    last = i
    rejected.addKnown(row, refusal)
  }
  return kept
}

/** Asks whether the pod fits beside the pods nominated for the row; where not, the refusal is noted. */
function hasRoomBeside(
  cycle: Cycle,
  row: number,
  nominated: readonly Pod[] | undefined,
  rejected: RejectedRows,
): boolean {
  const refusal = nominated && cycle.filterRowWith(row, nominated)
  if (refusal === undefined) return true
  rejected.add(row, refusal.plugin, refusal.code, refusal.reasons)
  return false
}
