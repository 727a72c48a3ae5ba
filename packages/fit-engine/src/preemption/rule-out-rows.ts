import { recordRejected } from '../decide/filter-pass.ts'
import { RejectedRows } from '../decide/rejected-nodes.ts'
import type { Cycle, CyclePlugin } from '../framework/cycle.ts'
import { nominatedPodsByRow } from '../framework/nominated-pods.ts'
import { lowerPriorityUnits } from '../state/lower-priority-units.ts'
import { PODS } from '../state/resources/resource-names.ts'
import { priorityOf } from './pod-importance.ts'
import { noVictimsStatus } from './select-victims.ts'

/** Rows on which evictions do not help, with the reasons, and rows on which they may. */
export interface RuledOutRows {
  readonly useless: RejectedRows
  /** The rows that need a dry run. */
  readonly open: Int32Array
}

/**
 * Finds rows on which preemption does not help, without a dry run: rows without a pod of lower priority, and rows whose
 * rejecting plugin knows that it would reject them without these pods too.
 *
 * @param cycle - After the preFilters.
 * @param rows - The rows with the code Unschedulable.
 * @param pluginOf - Returns the plugin that rejected `rows[i]`.
 */
export function ruleOutRows(cycle: Cycle, rows: Int32Array, pluginOf: (i: number) => string): RuledOutRows {
  const useless = new RejectedRows(rows.length)
  const noVictims = useless.register(noVictimsStatus)
  const lowerPods = lowerPriorityUnits(cycle.table, priorityOf(cycle.pod), PODS, { rows, count: rows.length })
  const nominated = nominatedPodsByRow(cycle)
  const judges = judgesOf(cycle)
  const open = new Int32Array(rows.length)
  let openCount = 0
  const judged = new Map<Judge, { readonly rows: Int32Array; count: number }>()
  let lastPlugin: string | undefined
  let target: { readonly rows: Int32Array; count: number } | undefined
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? 0
    if (lowerPods[row] === 0) {
      useless.addRegistered(row, noVictims)
      continue
    }
    const plugin = pluginOf(i)
    if (plugin !== lastPlugin) {
      lastPlugin = plugin
      target = rowsOf(judges.get(plugin), judged, rows.length)
    }
    if (target === undefined || nominated.has(row)) open[openCount++] = row
    else target.rows[target.count++] = row
  }
  for (const [judge, each] of judged) {
    const undecided = judge.undecided(each.rows.subarray(0, each.count), useless)
    open.set(undecided, openCount)
    openCount += undecided.length
  }
  return { useless, open: open.subarray(0, openCount) }
}

/** Returns the rows that the judge is asked about; undefined without a judge. */
function rowsOf(
  judge: Judge | undefined,
  judged: Map<Judge, { readonly rows: Int32Array; count: number }>,
  capacity: number,
): { readonly rows: Int32Array; count: number } | undefined {
  if (judge === undefined) return undefined
  const known = judged.get(judge) ?? { rows: new Int32Array(capacity), count: 0 }
  judged.set(judge, known)
  return known
}

interface Judge {
  /** Returns the rows that the plugin may pass without the pods of lower priority, and records the others. */
  undecided(rows: Int32Array, useless: RejectedRows): Int32Array
}

/** Returns the plugins that can judge rows they rejected, by name. Filters before them must keep passing. */
function judgesOf(cycle: Cycle): ReadonlyMap<string, Judge> {
  const judges = new Map<string, Judge>()
  for (const entry of cycle.filters) {
    const { plugin, isFilterSkipped } = entry
    if (isFilterSkipped || plugin.filter === undefined) continue
    if (plugin.filterWithoutVictims !== undefined) {
      judges.set(plugin.name, { undecided: (rows, useless) => judgeRows(cycle, entry, rows, useless) })
    }
    if (plugin.passesAfterRemovals !== true) break
  }
  return judges
}

function judgeRows(cycle: Cycle, entry: CyclePlugin, rows: Int32Array, useless: RejectedRows): Int32Array {
  const count = rows.length
  const sink = cycle.takeSink(count)
  sink.start(count)
  const candidates = { rows, count }
  entry.plugin.filterWithoutVictims?.(cycle.pod, candidates, sink, entry.context)
  const target = new Int32Array(count)
  const passed = recordRejected(cycle, entry, sink, { rows, count, target, rejected: useless })
  cycle.returnSink(sink)
  return target.subarray(0, passed)
}
