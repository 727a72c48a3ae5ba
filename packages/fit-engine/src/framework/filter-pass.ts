import { type Candidates, type Pod, StatusCode } from '@berth/types'
import type { Cycle, Refusal } from './cycle.ts'
import { FilterSink } from './filter-sink.ts'

/** What the filters left, and what they took away. */
export interface FilterPass {
  /** Rows that passed. */
  readonly feasible: Int32Array
  /** Rows that did not, with why, at the same position. */
  readonly rejectedRows: readonly number[]
  readonly refusals: readonly Refusal[]
  /** How many rows each filter saw and left, in the order in which they ran. */
  readonly funnel: readonly { readonly plugin: string; readonly before: number; readonly after: number }[]
}

/** Pods nominated for a row that the pod must leave room for. */
function reservations(cycle: Cycle): ReadonlyMap<number, readonly Pod[]> {
  const { table, pod } = cycle
  const byRow = new Map<number, readonly Pod[]>()
  for (const nodeName of table.nominations.nodeNames()) {
    const row = table.rowOf(nodeName)
    if (row === undefined) continue
    const pods = table.nominations.on(nodeName).filter((other) => reservesAgainst(cycle, other, pod))
    if (pods.length > 0) byRow.set(row, pods)
  }
  return byRow
}

function reservesAgainst({ table }: Cycle, nominated: Pod, pod: Pod): boolean {
  const isOther = nominated !== pod && (nominated.metadata.uid ?? '') !== (pod.metadata.uid ?? '')
  return isOther && (nominated.spec.priority ?? 0) >= (pod.spec.priority ?? 0) && !table.counts(nominated)
}

/** Remembers one Refusal object for each list of reasons, since filters share lists between nodes. */
class RefusalPool {
  #last: Refusal | undefined
  readonly #known = new Map<readonly string[], Refusal>()

  of(plugin: string, code: number, reasons: readonly string[]): Refusal {
    const last = this.#last
    if (last !== undefined && last.reasons === reasons && last.code === code && last.plugin === plugin) return last
    const known = this.#known.get(reasons)
    const fits = known !== undefined && known.code === code && known.plugin === plugin
    const refusal = fits ? known : { plugin, code: verdictCode(code), reasons }
    this.#known.set(reasons, refusal)
    this.#last = refusal
    return refusal
  }
}

function verdictCode(code: number): StatusCode {
  return code === StatusCode.Unschedulable ? StatusCode.Unschedulable : StatusCode.UnschedulableAndUnresolvable
}

/**
 * Runs the filters over the candidates, each on what those before it left, so that a node has the reasons of the
 * first filter that refused it. A node for which others are nominated must pass with and without them.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/runtime/framework.go RunFilterPluginsWithNominatedPods (v1.36)
 */
export function runFilters(cycle: Cycle, candidates: Candidates): FilterPass {
  const rows = candidates.rows.slice(0, candidates.count)
  const rejectedRows: number[] = []
  const refusals: Refusal[] = []
  let count = reserve(cycle, rows, rejectedRows, refusals)
  const sink = new FilterSink(count)
  const pool = new RefusalPool()
  const funnel: { plugin: string; before: number; after: number }[] = []
  for (const participant of cycle.participants) {
    const { plugin } = participant
    if (plugin.filter === undefined) continue
    const before = count
    if (!participant.isFilterSkipped && count > 0) {
      cycle.filter(participant, { rows, count }, sink)
      if (sink.hasRejected) {
        let kept = 0
        for (let i = 0; i < count; i++) {
          const row = rows[i] ?? 0
          const code = sink.codes[i] ?? 0
          if (code === StatusCode.Success) rows[kept++] = row
          else {
            rejectedRows.push(row)
            refusals.push(pool.of(plugin.name, code, sink.reasonsOf(i)))
          }
        }
        count = kept
      }
    }
    funnel.push({ plugin: plugin.name, before, after: count })
  }
  return { feasible: rows.subarray(0, count), rejectedRows, refusals, funnel }
}

/** Takes out, in place, the rows that do not fit beside the pods nominated for them; says how many are left. */
function reserve(cycle: Cycle, rows: Int32Array, rejectedRows: number[], refusals: Refusal[]): number {
  const byRow = reservations(cycle)
  if (byRow.size === 0) return rows.length
  let kept = 0
  for (const row of rows) {
    const added = byRow.get(row)
    const refusal = added && cycle.filterRowWith(row, { added })
    if (refusal === undefined) rows[kept++] = row
    else {
      rejectedRows.push(row)
      refusals.push(refusal)
    }
  }
  return kept
}
