import { type Candidates, type Pod, StatusCode } from '@berth/types'
import type { Cycle } from './cycle.ts'
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
  const rejected = new RejectedRows()
  const sink = cycle.sinkFor(candidates.count)
  let rows = candidates.rows
  let count = candidates.count
  /** The rows belong to the caller until the first of them is rejected. */
  const keep = (isKept: (i: number, row: number) => boolean): void => {
    const target = rows === candidates.rows ? new Int32Array(count) : rows
    let kept = 0
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? 0
      if (isKept(i, row)) target[kept++] = row
    }
    rows = target
    count = kept
  }
  const byRow = reservations(cycle)
  if (byRow.size > 0) keep((_, row) => hasRoomBeside(cycle, row, byRow.get(row), rejected))
  const funnel: { plugin: string; before: number; after: number }[] = []
  for (const participant of cycle.participants) {
    const { plugin } = participant
    if (plugin.filter === undefined) continue
    const before = count
    if (!participant.isFilterSkipped && count > 0 && cycle.filter(participant, { rows, count }, sink)) {
      keep((i, row) => {
        const code = sink.codes[i]
        if (code === StatusCode.Success) return true
        rejected.add(row, plugin.name, verdictCode(code), sink.reasonsOf(i))
        return false
      })
    }
    funnel.push({ plugin: plugin.name, before, after: count })
  }
  return { feasible: rows.subarray(0, count), rejected, funnel }
}

/** A filter's code, which is one of two by now. */
function verdictCode(code: number | undefined): StatusCode {
  return code === StatusCode.Unschedulable ? StatusCode.Unschedulable : StatusCode.UnschedulableAndUnresolvable
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
