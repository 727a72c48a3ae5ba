import { type Pod, StatusCode } from '@berth/types'
import type { ClusterState } from '../state/cluster-state.ts'
import { tableOf } from '../state/create-cluster-state.ts'
import type { Decision } from '../decide/decision.ts'
import { Cycle } from '../framework/cycle.ts'
import { fitErrorMessage } from '../decide/fit-error.ts'
import type { Framework } from '../framework/framework.ts'
import { PluginFailure } from '../framework/plugin-failure.ts'
import { runPreFilters } from '../framework/pre-filter.ts'
import type { ClusterTable } from '../state/cluster-table.ts'
import { leastHarmful } from './least-harmful.ts'
import { priorityOf } from './pod-importance.ts'
import type { Preemption, PreemptionCandidate, PreemptOptions } from './preemption.ts'
import { nobodyToLeave, selectVictims, type VictimSearch } from './select-victims.ts'

const NEVER = 'not eligible due to preemptionPolicy=Never.'
const NOT_HELPFUL = 'Preemption is not helpful for scheduling'
const TERMINATING = 'not eligible due to a terminating pod on the nominated node.'

/** It leaves because somebody preempted it. */
function isLeaving({ metadata, status }: Pod): boolean {
  const isMarked = (status?.conditions ?? []).some(
    (condition) =>
      condition.type === 'DisruptionTarget' &&
      condition.status === 'True' &&
      condition.reason === 'PreemptionByScheduler',
  )
  return metadata.deletionTimestamp != null && isMarked
}

/** Why the pod may not preempt now; '' when it may. */
function ineligibility(state: ClusterState, pod: Pod, decision: Decision): string {
  if (pod.spec.preemptionPolicy === 'Never') return NEVER
  const nominated = pod.status?.nominatedNodeName ?? ''
  const row = state.rowOf(nominated)
  if (row === undefined) return ''
  if (decision.rejected.get(nominated)?.code === StatusCode.UnschedulableAndUnresolvable) return ''
  const isBusy = state.podsOn(row).some((other) => priorityOf(other) < priorityOf(pod) && isLeaving(other))
  return isBusy ? TERMINATING : ''
}

/** The sentence for a preemption that helps on no node. */
function uselessMessage({ rejected }: Decision, failed: Preemption['failed']): string {
  const counts = new Map<string, number>()
  const add = (reason: string, count: number): unknown => counts.set(reason, (counts.get(reason) ?? 0) + count)
  for (const { reasons } of failed.values()) for (const reason of reasons) add(reason, 1)
  if (rejected.size > failed.size) add(NOT_HELPFUL, rejected.size - failed.size)
  return fitErrorMessage(rejected.size, counts)
}

const nobody: VictimSearch = { kind: 'useless', refusal: nobodyToLeave }

/** In most clusters pods have one priority: then no node needs a look. */
function hasLower(state: ClusterState, pod: Pod): boolean {
  for (const other of state.pods()) if (priorityOf(other) < priorityOf(pod)) return true
  return false
}

function victimSearch(
  framework: Framework,
  table: ClusterTable,
  pod: Pod,
  options: PreemptOptions,
): (row: number) => VictimSearch {
  const { nowMs, disruptionBudgets: budgets = [] } = options
  const cycle = new Cycle(framework, table, pod, options)
  const rows = table.rows.liveRows()
  runPreFilters(cycle, { rows, count: rows.length })
  return (row) => selectVictims(cycle, row, { budgets, nowMs })
}

/** One node on which a filter breaks does not keep the others from being looked at. */
function tried(search: (row: number) => VictimSearch, row: number): VictimSearch | PluginFailure {
  try {
    return search(row)
  } catch (error) {
    if (error instanceof PluginFailure) return error
    throw error
  }
}

/**
 * Looks for the pods of lower priority whose leaving makes room for the pod, and for the node where that harms least.
 * Nothing is changed.
 *
 * @param decision - What {@link decide} found for the pod on the unchanged state, with rejections.
 * @throws Error when a filter throws on a changed node and no other node helps; the message names the filter.
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
  let firstFailure: PluginFailure | undefined
  const search = hasLower(state, pod) ? victimSearch(framework, tableOf(state), pod, options) : () => nobody
  for (const node of [...potentialNodes.slice(offset), ...potentialNodes.slice(0, offset)]) {
    // Enough to choose from, and at least one that no budget forbids.
    if (candidates.length >= maxCandidates && candidates.some(({ violations }) => violations === 0)) break
    const row = state.rowOf(node)
    // The node may be gone since the decision.
    if (row === undefined) continue
    const found = tried(search, row)
    if (found instanceof PluginFailure) {
      firstFailure ??= found
      failed.set(node, { code: StatusCode.Error, reasons: [found.message] })
    } else if (found.kind === 'useless') failed.set(node, { code: found.refusal.code, reasons: found.refusal.reasons })
    else if (found.victims.length > 0) candidates.push({ node, victims: found.victims, violations: found.violations })
  }
  if (candidates.length === 0 && firstFailure !== undefined) throw firstFailure
  const message = candidates.length > 0 ? '' : uselessMessage(decision, failed)
  const chosen = leastHarmful(candidates, nowMs)
  return { isEligible: true, ineligibleReason: '', potentialNodes, candidates, failed, message, chosen }
}
