import { type Candidates, type Pod, StatusCode } from '@berth/types'
import type { Cycle } from './cycle.ts'
import { FilterSink } from './filter-sink.ts'
import { RejectedRows } from './rejected-nodes.ts'

/** What the filters left, and what they took away. */
export interface FilterPass {
  /** Rows that passed. */
  readonly feasible: Int32Array
  /** Rows that did not, with why. */
  readonly rejected: RejectedRows
  /** How many rows each filter saw and left, in the order in which they ran. */
  readonly funnel: readonly { readonly plugin: string; readonly before: number; readonly after: number }[]
}

/** Pods nominated for the node that the cycle's pod must leave room for. */
export function nominatedFor(cycle: Cycle, nodeName: string): readonly Pod[] {
  return cycle.table.nominations.on(nodeName).filter((other) => reservesAgainst(cycle, other, cycle.pod))
}

function reservations(cycle: Cycle): ReadonlyMap<number, readonly Pod[]> {
  const { table } = cycle
  const byRow = new Map<number, readonly Pod[]>()
  for (const nodeName of table.nominations.nodeNames()) {
    const row = table.rowOf(nodeName)
    if (row === undefined) continue
    const pods = nominatedFor(cycle, nodeName)
    if (pods.length > 0) byRow.set(row, pods)
  }
  return byRow
}

function reservesAgainst({ table }: Cycle, nominated: Pod, pod: Pod): boolean {
  const isOther = nominated !== pod && (nominated.metadata.uid ?? '') !== (pod.metadata.uid ?? '')
  return isOther && (nominated.spec.priority ?? 0) >= (pod.spec.priority ?? 0) && !table.counts(nominated)
}

/**
 * Runs the filters over the candidates, each on what those before it left, so that a node has the reasons of the
 * first filter that refused it. A node for which others are nominated must pass with and without them.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/runtime/framework.go RunFilterPluginsWithNominatedPods (v1.36)
 */
export function runFilters(cycle: Cycle, candidates: Candidates): FilterPass {
  const rows = candidates.rows.slice(0, candidates.count)
  const rejected = new RejectedRows(candidates.count)
  let count = reserve(cycle, rows, rejected)
  const sink = new FilterSink(count)
  const funnel: { plugin: string; before: number; after: number }[] = []
  for (const participant of cycle.participants) {
    const { plugin } = participant
    if (plugin.filter === undefined) continue
    const before = count
    if (!participant.isFilterSkipped && count > 0) {
      if (cycle.filter(participant, { rows, count }, sink)) {
        let kept = 0
        for (let i = 0; i < count; i++) {
          const row = rows[i] ?? 0
          const code = sink.codes[i]
          if (code === StatusCode.Success) rows[kept++] = row
          else rejected.add(row, plugin.name, verdictCode(code), sink.reasonsOf(i))
        }
        count = kept
      }
    }
    funnel.push({ plugin: plugin.name, before, after: count })
  }
  return { feasible: rows.subarray(0, count), rejected, funnel }
}

/** A filter's code, which is one of two by now. */
function verdictCode(code: number | undefined): StatusCode {
  return code === StatusCode.Unschedulable ? StatusCode.Unschedulable : StatusCode.UnschedulableAndUnresolvable
}

/** Takes out, in place, the rows that do not fit beside the pods nominated for them; says how many are left. */
function reserve(cycle: Cycle, rows: Int32Array, rejected: RejectedRows): number {
  const byRow = reservations(cycle)
  if (byRow.size === 0) return rows.length
  let kept = 0
  for (const row of rows) {
    const added = byRow.get(row)
    const refusal = added && cycle.filterRowWith(row, added)
    if (refusal === undefined) rows[kept++] = row
    else rejected.add(row, refusal.plugin, refusal.code, refusal.reasons)
  }
  return kept
}
