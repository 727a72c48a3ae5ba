import { type Pod, StatusCode } from '@berth/types'
import type { ClusterState } from '../state/cluster-state.ts'
import { tableOf } from '../state/create-cluster-state.ts'
import type { DecideOptions, Decision } from './decision.ts'
import { type CandidateRows, candidateRows, unknownNode } from './candidate-rows.ts'
import { Cycle, type Refusal } from '../framework/cycle.ts'
import { type DecisionParts, DecisionRecord } from './decision-record.ts'
import { type FilterPass, runFilters } from './filter-pass.ts'
import { fitErrorMessage, NO_NODES_MESSAGE, preFilterErrorMessage } from './fit-error.ts'
import type { Framework } from '../framework/framework.ts'
import { PluginFailure } from '../framework/plugin-failure.ts'
import { type PreFilterOutcome, runPreFilters } from '../framework/pre-filter.ts'
import { runFiltersQuickly } from './quick-pass.ts'
import { countReasons, type RejectedNodes, RejectedRows } from './rejected-nodes.ts'
import { runScores, type ScorePass } from './score-pass.ts'

const noRows = new Int32Array(0)

/**
 * Says where the pod fits, where it fits best, and why it does not fit elsewhere: the one function through which
 * scheduler, extender and command line ask. All nodes are judged; nothing is sampled.
 *
 * @see kubernetes/kubernetes pkg/scheduler/schedule_one.go schedulePod (v1.36)
 */
export function decide(framework: Framework, state: ClusterState, pod: Pod, options: DecideOptions): Decision {
  const table = tableOf(state)
  const names = table.rows.namesByRow()
  const cycle = new Cycle(framework, table, pod, options)
  const candidates = candidateRows(table, options.nodeNames)
  const { generation } = table
  const shortages = (row: number, plugin: string) =>
    table.generation === generation ? cycle.shortages(row, plugin) : undefined
  let parts: DecisionParts = { ...nothing, names, shortages }
  try {
    const { feasible, rejected, message, funnel } = filterNodes(cycle, candidates, options)
    parts = { names, feasible, rejected, message, funnel, shortages }
    if (options.score === false || feasible.length === 0) return new DecisionRecord(parts)
    const isLone = options.score === 'when-several' && feasible.length === 1
    const scores = isLone ? undefined : scoreNodes(cycle, feasible, options)
    return new DecisionRecord({ names, feasible, rejected, message, funnel, shortages, scores, isLone })
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error
    const { plugin, message, cause } = error
    return new DecisionRecord({ ...parts, message, error: { plugin, message, ...(cause !== undefined && { cause }) } })
  }
}

const nothing = { feasible: noRows, rejected: undefined, message: '', funnel: [] }

type Filtered = Pick<DecisionParts, 'feasible' | 'rejected' | 'message' | 'funnel'>

function filterNodes(cycle: Cycle, candidates: CandidateRows, options: DecideOptions): Filtered {
  const { rows, unknownNames, total } = candidates
  if (total === 0) return { feasible: noRows, rejected: undefined, message: NO_NODES_MESSAGE, funnel: [] }
  const outcome = runPreFilters(cycle, { rows, count: rows.length })
  if (outcome.refusal !== undefined) {
    const { plugin, code, reasons } = outcome.refusal
    const known = new RejectedRows()
    for (const row of rows) known.add(row, plugin, code, reasons)
    const rejected = { known, unknownNames, unknown: unknownNode }
    return { feasible: noRows, rejected, message: preFilterErrorMessage(total, reasons), funnel: [] }
  }
  const inside = narrow(cycle, rows, outcome)
  if (options.rejections === 'when-none-fits') {
    const shortlist = inside === rows && options.nodeNames === undefined ? cycle.shortlist() : undefined
    const asked = shortlist ?? inside
    const quick = runFiltersQuickly(cycle, { rows: asked, count: asked.length })
    if (quick.feasible.length > 0) return passed(quick, undefined)
  }
  const pass = runFilters(cycle, { rows: inside, count: inside.length })
  const rejected = { known: withOutside(cycle, pass.rejected, rows, outcome), unknownNames, unknown: unknownNode }
  if (pass.feasible.length > 0) return passed(pass, rejected)
  const message = fitErrorMessage(total, countReasons(rejected))
  return { feasible: noRows, rejected, message, funnel: pass.funnel }
}

function passed({ feasible, funnel }: Omit<FilterPass, 'rejected'>, rejected: RejectedNodes | undefined): Filtered {
  return { feasible, rejected, message: '', funnel }
}

function isNarrowedTo({ table }: Cycle, row: number, { narrowed }: PreFilterOutcome): boolean {
  return narrowed === undefined || narrowed.has(table.nodeName(row))
}

function narrow(cycle: Cycle, rows: Int32Array, outcome: PreFilterOutcome): Int32Array {
  return outcome.narrowed === undefined ? rows : rows.filter((row) => isNarrowedTo(cycle, row, outcome))
}

/** Adds the nodes that a preFilter ruled out to those that the filters rejected. */
function withOutside(cycle: Cycle, known: RejectedRows, rows: Int32Array, outcome: PreFilterOutcome): RejectedRows {
  if (outcome.narrowed === undefined) return known
  const all = new RejectedRows()
  known.rows.forEach((row, i) => {
    const refusal = known.refusalAt(i)
    if (refusal !== undefined) all.add(row, refusal.plugin, refusal.code, refusal.reasons)
  })
  const absent = absentRefusal(outcome)
  for (const row of rows) {
    if (!isNarrowedTo(cycle, row, outcome)) all.add(row, absent.plugin, absent.code, absent.reasons)
  }
  return all
}

/** The status of nodes that a preFilter ruled out. */
function absentRefusal({ narrowedBy }: PreFilterOutcome): Refusal {
  return {
    plugin: narrowedBy.join(', '),
    code: StatusCode.UnschedulableAndUnresolvable,
    reasons: [`node(s) didn't satisfy plugin(s) [${narrowedBy.join(' ')}]`],
  }
}

function scoreNodes(cycle: Cycle, feasible: Int32Array, options: DecideOptions): ScorePass {
  try {
    return runScores(cycle, { rows: feasible, count: feasible.length }, options.pluginScores === true)
  } catch (error) {
    // With one node to choose from, kube-scheduler does not score: a broken scorer must not keep the pod waiting.
    if (feasible.length > 1 || !(error instanceof PluginFailure)) throw error
    return { totals: new Float64Array(1), highest: { top: 0, ties: 1 }, plugins: [] }
  }
}
