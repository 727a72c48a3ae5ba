import { type Pod, StatusCode } from '@berth/types'
import type { ClusterState } from '../state/cluster-state.ts'
import { tableOf } from '../state/create-cluster-state.ts'
import type { DecideOptions, Decision } from './decision.ts'
import { type CandidateRows, candidateRows, unknownNodeStatus } from './candidate-rows.ts'
import { Cycle, type RejectionStatus } from '../framework/cycle.ts'
import { type DecisionParts, DecisionRecord } from './decision-record.ts'
import { type FeasibleRows, runFilters } from './filter-pass.ts'
import { fitErrorMessage, NO_NODES_MESSAGE, preFilterErrorMessage } from './fit-error.ts'
import type { Framework } from '../framework/framework.ts'
import { PluginFailure } from '../framework/plugin-failure.ts'
import { type PreFilterOutcome, runPreFilters } from '../framework/pre-filter.ts'
import { runFiltersFast } from './fast-filter-pass.ts'
import { countReasons, type RejectedNodes, RejectedRows } from './rejected-nodes.ts'
import { runScores, type ScorePass } from './score-pass.ts'

const noRows = new Int32Array(0)

/**
 * Decides where the pod fits, where it fits best, and why it does not fit elsewhere. Scheduler, extender, command line,
 * benchmarks and conformance tests all call this function. It evaluates every node; nothing is sampled.
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
  const shared = { names, asked: candidates.asked, source: { table, generation }, shortages }
  let parts: DecisionParts = { ...emptyParts, ...shared }
  try {
    parts = { ...shared, ...filterNodes(framework, cycle, candidates, options) }
    const { feasible } = parts
    if (options.score === false || feasible.length === 0) return new DecisionRecord(parts)
    const isOnlyFeasible = options.score === 'when-several' && feasible.length === 1
    const scores = isOnlyFeasible ? undefined : scoreNodes(cycle, feasible, options)
    return new DecisionRecord({ ...parts, scores, isOnlyFeasible })
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error
    const { plugin, point, message, cause } = error
    const failure = { plugin, point, message, ...(cause !== undefined && { cause }) }
    return new DecisionRecord({ ...parts, message, error: failure })
  }
}

const emptyParts = { feasible: noRows, rejected: undefined, message: '', funnel: [] }

type Filtered = FeasibleRows & Pick<DecisionParts, 'rejected' | 'message'>

function filterNodes(framework: Framework, cycle: Cycle, candidates: CandidateRows, options: DecideOptions): Filtered {
  const { rows, unknownNames, total } = candidates
  if (total === 0) return { feasible: noRows, rejected: undefined, message: NO_NODES_MESSAGE, funnel: [] }
  const outcome = runPreFilters(cycle, { rows, count: rows.length })
  if (outcome.rejection !== undefined) {
    const { plugin, code, reasons } = outcome.rejection
    const rejectedRows = RejectedRows.ofStatus(rows, { plugin, code, reasons })
    const rejected = { rows: rejectedRows, unknownNames, unknownStatus: unknownNodeStatus }
    return { feasible: noRows, rejected, message: preFilterErrorMessage(total, reasons), funnel: [] }
  }
  const allowed = allowedRows(cycle, rows, outcome)
  if (options.rejections === 'when-none-fits') {
    const shortlist = allowed === rows && options.nodeNames === undefined ? cycle.shortlist() : undefined
    const fastRows = shortlist ?? allowed
    const fast = runFiltersFast(cycle, { rows: fastRows, count: fastRows.length })
    if (fast.feasible.length > 0) return feasibleResult(fast, undefined)
  }
  const pass = runFilters(cycle, { rows: allowed, count: allowed.length })
  const rejected = {
    rows: withExcludedNodes(cycle, pass.rejected, rows, outcome),
    unknownNames,
    unknownStatus: unknownNodeStatus,
  }
  if (pass.feasible.length > 0) return feasibleResult(pass, rejected)
  const message = fitErrorMessage(total, countReasons(rejected, framework.contributed))
  return { feasible: noRows, rejected, message, funnel: pass.funnel }
}

function feasibleResult(pass: FeasibleRows, rejected: RejectedNodes | undefined): Filtered {
  return { ...pass, rejected, message: '' }
}

function isAllowed({ table }: Cycle, row: number, { allowedNodes }: PreFilterOutcome): boolean {
  return allowedNodes === undefined || allowedNodes.has(table.nodeName(row))
}

function allowedRows(cycle: Cycle, rows: Int32Array, outcome: PreFilterOutcome): Int32Array {
  return outcome.allowedNodes === undefined ? rows : rows.filter((row) => isAllowed(cycle, row, outcome))
}

/** Returns the rows that the filters rejected, and those that a preFilter excluded. */
function withExcludedNodes(
  cycle: Cycle,
  rejected: RejectedRows,
  rows: Int32Array,
  outcome: PreFilterOutcome,
): RejectedRows {
  if (outcome.allowedNodes === undefined) return rejected
  const all = new RejectedRows(rows.length)
  rejected.rows.forEach((row, i) => {
    const status = rejected.statusAt(i)
    if (status !== undefined) all.add(row, status.plugin, status.code, status.reasons)
  })
  const excluded = excludedStatus(outcome)
  for (const row of rows) {
    if (!isAllowed(cycle, row, outcome)) all.add(row, excluded.plugin, excluded.code, excluded.reasons)
  }
  return all
}

/** Returns the status of nodes that a preFilter excluded. */
function excludedStatus({ restrictedBy }: PreFilterOutcome): RejectionStatus {
  return {
    plugin: restrictedBy.join(', '),
    code: StatusCode.UnschedulableAndUnresolvable,
    reasons: [`node(s) didn't satisfy plugin(s) [${restrictedBy.join(' ')}]`],
  }
}

function scoreNodes(cycle: Cycle, feasible: Int32Array, options: DecideOptions): ScorePass {
  try {
    return runScores(cycle, { rows: feasible, count: feasible.length }, options.pluginScores === true)
  } catch (error) {
    // kube-scheduler does not score a single node, so a failing scorer must not keep the pod pending.
    if (feasible.length > 1 || !(error instanceof PluginFailure)) throw error
    return { totals: new Float64Array(1), highest: 0, plugins: [] }
  }
}
