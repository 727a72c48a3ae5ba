import { type Pod, StatusCode } from '@berth/types'
import type { ClusterState } from '../state/cluster-state.ts'
import { tableOf } from '../state/create-cluster-state.ts'
import type { Decision } from '../decide/decision.ts'
import { Cycle, type RejectionStatus } from '../framework/cycle.ts'
import { fitErrorMessage } from '../decide/fit-error.ts'
import { mergeReasons } from '../decide/merge-reasons.ts'
import type { Framework } from '../framework/framework.ts'
import { PluginFailure } from '../framework/plugin-failure.ts'
import { runPreFilters } from '../framework/pre-filter.ts'
import type { ClusterTable } from '../state/cluster-table.ts'
import { leastHarmful } from './least-harmful.ts'
import { priorityOf } from './pod-importance.ts'
import type { Preemption, PreemptionCandidate, PreemptOptions } from './preemption.ts'
import { noVictimsStatus, selectVictims, type VictimSelection } from './select-victims.ts'

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
  if (decision.rejected.get(nominated)?.code === StatusCode.UnschedulableAndUnresolvable) return ''
  const isBusy = state.podsOn(row).some((other) => priorityOf(other) < priorityOf(pod) && isBeingPreempted(other))
  return isBusy ? TERMINATING : ''
}

/** Returns the message for a preemption that helps on no node. */
function notHelpfulMessage(
  { rejected }: Decision,
  failures: readonly RejectionStatus[],
  contributed: ReadonlySet<string>,
): string {
  const merged = mergeReasons(
    failures.map((failure) => [failure, 1] as const),
    contributed,
  )
  const counts = new Map<string, number>()
  const add = (reason: string, count: number): unknown => counts.set(reason, (counts.get(reason) ?? 0) + count)
  for (const { plugin, reasons } of failures) for (const reason of merged.get(plugin) ?? reasons) add(reason, 1)
  if (rejected.size > failures.length) add(NOT_HELPFUL, rejected.size - failures.length)
  return fitErrorMessage(rejected.size, counts)
}

const noVictims: VictimSelection = { kind: 'useless', status: noVictimsStatus }

/** Returns whether a pod of lower priority exists. In clusters with one priority, no node needs to be searched. */
function hasLowerPriorityPod(state: ClusterState, pod: Pod): boolean {
  for (const other of state.pods()) if (priorityOf(other) < priorityOf(pod)) return true
  return false
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
  const { nowMs, disruptionBudgets: budgets = [] } = options
  const cycle = new Cycle(framework, table, pod, options)
  const rows = table.rows.liveRows()
  runPreFilters(cycle, { rows, count: rows.length })
  return (row, required) => selectVictims(cycle, row, { budgets, nowMs, required })
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
 * harm. The state does not change.
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
  const none = { potentialNodes: [], candidates: [], failed: new Map(), chosen: [] }
  const ineligibleReason = ineligibility(state, pod, decision)
  if (ineligibleReason !== '') return { isEligible: false, ineligibleReason, message: ineligibleReason, ...none }
  const potentialNodes = [...decision.rejected]
    .flatMap(([node, { code }]) => (code === StatusCode.Unschedulable ? [node] : []))
    .sort()
  const { nowMs, random, maxCandidates = potentialNodes.length } = options
  const candidates: PreemptionCandidate[] = []
  const failed = new Map<string, { code: StatusCode; reasons: readonly string[] }>()
  const offset = maxCandidates < potentialNodes.length ? Math.floor(random() * potentialNodes.length) : 0
  const failures: RejectionStatus[] = []
  const fail = (node: string, failure: RejectionStatus): void => {
    failures.push(failure)
    failed.set(node, { code: failure.code, reasons: failure.reasons })
  }
  let firstFailure: PluginFailure | undefined
  const search = hasLowerPriorityPod(state, pod)
    ? createVictimSearch(framework, tableOf(state), pod, options)
    : () => noVictims
  for (const node of [...potentialNodes.slice(offset), ...potentialNodes.slice(0, offset)]) {
    // Stop at enough candidates, if at least one violates no budget.
    if (candidates.length >= maxCandidates && candidates.some(({ violations }) => violations === 0)) break
    const row = state.rowOf(node)
    // The node may have been deleted since the decision.
    if (row === undefined) continue
    const found = searchRow(search, row)
    if (found instanceof PluginFailure) {
      firstFailure ??= found
      fail(node, { plugin: found.plugin, code: StatusCode.Error, reasons: [found.message] })
    } else if (found.kind === 'useless') fail(node, found.status)
    else if (found.victims.length > 0) candidates.push({ node, victims: found.victims, violations: found.violations })
  }
  if (candidates.length === 0 && firstFailure !== undefined) throw firstFailure
  const message = candidates.length > 0 ? '' : notHelpfulMessage(decision, failures, framework.contributed)
  const chosen = leastHarmful(candidates, nowMs)
  return { isEligible: true, ineligibleReason: '', potentialNodes, candidates, failed, message, chosen }
}
