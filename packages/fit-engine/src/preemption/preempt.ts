import { type Pod, StatusCode } from '@berth/types'
import type { ClusterState } from '../state/cluster-state.ts'
import { tableOf } from '../state/create-cluster-state.ts'
import type { Decision } from '../decide/decision.ts'
import { Cycle, type RejectionStatus } from '../framework/cycle.ts'
import { fitErrorMessage } from '../decide/fit-error.ts'
import { mergeReasons } from '../decide/merge-reasons.ts'
import { RejectedRows } from '../decide/rejected-nodes.ts'
import type { Framework } from '../framework/framework.ts'
import { PluginFailure } from '../framework/plugin-failure.ts'
import { runPreFilters } from '../framework/pre-filter.ts'
import type { ClusterTable } from '../state/cluster-table.ts'
import { leastHarmful } from './least-harmful.ts'
import { priorityOf } from './pod-importance.ts'
import type { Preemption, PreemptionCandidate, PreemptOptions } from './preemption.ts'
import { PotentialNodes } from './potential-nodes.ts'
import { rejectedRowsOf } from './rejected-rows-of.ts'
import { ruleOutRows, type RuledOutRows } from './rule-out-rows.ts'
import { noVictimsStatus, selectVictims, type VictimSelection } from './select-victims.ts'

const noRows = new Int32Array(0)
const NEVER = 'not eligible due to preemptionPolicy=Never.'
const NOT_HELPFUL = 'Preemption is not helpful for scheduling'
const TERMINATING = 'not eligible due to a terminating pod on the nominated node.'

/** Returns whether the pod is terminating because a scheduler preempted it. */
function isBeingPreempted({ metadata, status }: Pod): boolean {
  const isMarked = (status?.conditions ?? []).some(
    (condition) =>
      condition.type === 'DisruptionTarget' &&
      condition.status === 'True' &&
      condition.reason === 'PreemptionByScheduler',
  )
  return metadata.deletionTimestamp != null && isMarked
}

/** Returns why the pod may not preempt now; empty when it may. */
function ineligibility(state: ClusterState, pod: Pod, decision: Decision): string {
  if (pod.spec.preemptionPolicy === 'Never') return NEVER
  const nominated = pod.status?.nominatedNodeName ?? ''
  const row = state.rowOf(nominated)
  if (row === undefined) return ''
  if (decision.rejectionCode(nominated) === StatusCode.UnschedulableAndUnresolvable) return ''
  const isBusy = state.podsOn(row).some((other) => priorityOf(other) < priorityOf(pod) && isBeingPreempted(other))
  return isBusy ? TERMINATING : ''
}

/** Numbers of nodes by the reason why preemption does not help there. */
type FailureCounts = readonly (readonly [RejectionStatus, number])[]

/** Returns the message for a preemption that helps on no node. */
function notHelpfulMessage(nodeCount: number, failures: FailureCounts, contributed: ReadonlySet<string>): string {
  const merged = mergeReasons(failures, contributed)
  const counts = new Map<string, number>()
  const add = (reason: string, count: number): unknown => counts.set(reason, (counts.get(reason) ?? 0) + count)
  let failed = 0
  for (const [{ plugin, reasons }, count] of failures) {
    failed += count
    for (const reason of merged.get(plugin) ?? reasons) if (count > 0) add(reason, count)
  }
  if (nodeCount > failed) add(NOT_HELPFUL, nodeCount - failed)
  return fitErrorMessage(nodeCount, counts)
}

/** The rows on which evictions may help, by the codes of the decision. */
interface PotentialRows {
  readonly rows: Int32Array
  /** Returns the plugin that rejected `rows[i]`. */
  readonly pluginOf: (i: number) => string
}

function potentialRowsOf(decision: Decision, table: ClusterTable): PotentialRows {
  const rejected = rejectedRowsOf(decision, table)
  const all = rejected.rows
  if (rejected.statuses.every(({ code }) => code === StatusCode.Unschedulable)) {
    return { rows: all, pluginOf: (i) => rejected.statusAt(i)?.plugin ?? '' }
  }
  const rows = new Int32Array(all.length)
  const positions = new Int32Array(all.length)
  let count = 0
  for (let i = 0; i < all.length; i++) {
    if (rejected.statusAt(i)?.code !== StatusCode.Unschedulable) continue
    rows[count] = all[i] ?? 0
    positions[count++] = i
  }
  return { rows: rows.subarray(0, count), pluginOf: (i) => rejected.statusAt(positions[i] ?? 0)?.plugin ?? '' }
}

/** Returns the failures without a dry run, and the search for the rows that need one. */
function prepareSearch(
  framework: Framework,
  table: ClusterTable,
  pod: Pod,
  { rows, pluginOf }: PotentialRows,
  options: PreemptOptions,
): RuledOutRows & { readonly search: (row: number) => VictimSelection } {
  if (!table.priorities.hasBelow(priorityOf(pod))) {
    return {
      useless: RejectedRows.ofStatus(rows, noVictimsStatus),
      open: noRows,
      search: () => ({ kind: 'useless', status: noVictimsStatus }),
    }
  }
  const cycle = startCycle(framework, table, pod, options)
  return { ...ruleOutRows(cycle, rows, pluginOf), search: victimSearch(cycle, options) }
}

function startCycle(framework: Framework, table: ClusterTable, pod: Pod, options: PreemptOptions): Cycle {
  const cycle = new Cycle(framework, table, pod, options)
  const rows = table.rows.liveRows()
  runPreFilters(cycle, { rows, count: rows.length })
  return cycle
}

function victimSearch(
  cycle: Cycle,
  { nowMs, disruptionBudgets: budgets = [] }: PreemptOptions,
): (row: number, required?: ReadonlySet<string>) => VictimSelection {
  return (row, required) => selectVictims(cycle, row, { budgets, nowMs, required })
}

/**
 * Returns a function that selects the victims on one row. Its second parameter names the uids of pods that are victims
 * in any case.
 */
export function createVictimSearch(
  framework: Framework,
  table: ClusterTable,
  pod: Pod,
  options: PreemptOptions,
): (row: number, required?: ReadonlySet<string>) => VictimSelection {
  return victimSearch(startCycle(framework, table, pod, options), options)
}

/** Searches one row and returns the failure of a filter, so that the other rows are searched too. */
function searchRow(search: (row: number) => VictimSelection, row: number): VictimSelection | PluginFailure {
  try {
    return search(row)
  } catch (error) {
    if (error instanceof PluginFailure) return error
    throw error
  }
}

/**
 * Searches for pods of lower priority whose eviction makes room for the pod, and for the node where that does the least
 * harm. The state does not change. Costs little where priorities and amounts alone show that no eviction helps.
 *
 * @param decision - Result of {@link decide} for the pod on the unchanged state, with rejections.
 * @throws Error when a filter fails on a changed node and no other node helps; the message names the filter.
 * @see kubernetes/kubernetes pkg/scheduler/framework/preemption/preemption.go (v1.36)
 */
export function preempt(
  framework: Framework,
  state: ClusterState,
  pod: Pod,
  decision: Decision,
  options: PreemptOptions,
): Preemption {
  const ineligibleReason = ineligibility(state, pod, decision)
  if (ineligibleReason !== '') {
    const none = { potentialNodes: [], candidates: [], failed: new Map(), chosen: [] }
    return { isEligible: false, ineligibleReason, message: ineligibleReason, ...none }
  }
  const table = tableOf(state)
  const potential = potentialRowsOf(decision, table)
  const { useless, open, search } = prepareSearch(framework, table, pod, potential, options)
  const nodes = new PotentialNodes(table, potential.rows)
  const { nowMs, random, maxCandidates = nodes.count } = options
  // Drawn even where no node is searched, so that a seeded run does not depend on what was ruled out.
  const offset = maxCandidates < nodes.count ? Math.floor(random() * nodes.count) : 0
  const candidates: PreemptionCandidate[] = []
  const failures = new Map<number, RejectionStatus>()
  let firstFailure: PluginFailure | undefined
  let searched = nodes.count
  const openRows = new Set(open)
  const order = open.length === 0 ? [] : nodes.orderFrom(offset)
  for (const [i, row] of order.entries()) {
    // Stop at enough candidates, if at least one violates no budget.
    if (candidates.length >= maxCandidates && candidates.some(({ violations }) => violations === 0)) {
      searched = i
      break
    }
    if (!openRows.has(row)) continue
    const found = searchRow(search, row)
    if (found instanceof PluginFailure) {
      firstFailure ??= found
      failures.set(row, { plugin: found.plugin, code: StatusCode.Error, reasons: [found.message] })
    } else if (found.kind === 'useless') failures.set(row, found.status)
    else if (found.victims.length > 0) {
      candidates.push({ node: table.nodeName(row), victims: found.victims, violations: found.violations })
    }
  }
  if (candidates.length === 0 && firstFailure !== undefined) throw firstFailure
  const counts: FailureCounts = [
    ...useless.counts(),
    ...Array.from(failures.values(), (status) => [status, 1] as const),
  ]
  const nodeCount = decision.rejectionGroups.reduce((sum, { count }) => sum + count, 0)
  return {
    isEligible: true,
    ineligibleReason: '',
    get potentialNodes() {
      return nodes.names
    },
    candidates,
    get failed() {
      return nodes.failed(useless, failures, { offset, searched })
    },
    message: candidates.length > 0 ? '' : notHelpfulMessage(nodeCount, counts, framework.contributed),
    chosen: leastHarmful(candidates, nowMs),
  }
}
