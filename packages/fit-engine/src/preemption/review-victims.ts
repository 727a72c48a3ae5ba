import type { Pod, PodDisruptionBudget } from '@berth/types'
import type { Framework } from '../framework/framework.ts'
import type { ClusterState } from '../state/cluster-state.ts'
import { tableOf } from '../state/create-cluster-state.ts'
import { splitByBudgets } from './disruption-budgets.ts'
import { byImportance } from './pod-importance.ts'
import { createVictimSearch } from './preempt.ts'
import type { PreemptionCandidate, PreemptOptions } from './preemption.ts'

/**
 * Reviews the evictions that another scheduler proposes, with the filters of this framework. The proposed victims stay
 * victims; pods of lower priority are added if the pod needs their room, too. A node is left out if evictions do not
 * help there, if the state does not contain it, or if it contains none of its proposed victims.
 *
 * @param proposed - Uids of the proposed victims by node name.
 * @returns The candidates in the order of `proposed`. Each has at least one victim, the most important first.
 * @throws Error when a filter fails on a changed node; the message names the filter.
 */
export function reviewVictims(
  framework: Framework,
  state: ClusterState,
  pod: Pod,
  proposed: ReadonlyMap<string, ReadonlySet<string>>,
  options: PreemptOptions,
): readonly PreemptionCandidate[] {
  const search = createVictimSearch(framework, tableOf(state), pod, options)
  const candidates: PreemptionCandidate[] = []
  for (const [node, required] of proposed) {
    const row = state.rowOf(node)
    if (row === undefined) continue
    if (!state.podsOn(row).some(({ metadata }) => required.has(metadata.uid ?? ''))) continue
    const found = search(row, required)
    if (found.kind === 'found' && found.victims.length > 0) {
      candidates.push({ node, victims: found.victims, violations: found.violations })
    }
  }
  return candidates
}

/** Sorts victims, the most important first, and counts those that a disruption budget protects. */
export function describeVictims(
  pods: readonly Pod[],
  { budgets, nowMs }: { readonly budgets: readonly PodDisruptionBudget[]; readonly nowMs: number },
): Omit<PreemptionCandidate, 'node'> {
  const victims = pods.toSorted(byImportance(nowMs))
  return { victims, violations: splitByBudgets(victims, budgets).violating.length }
}
