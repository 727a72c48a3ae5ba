import { type Pod, type PodDisruptionBudget, StatusCode } from '@berth/types'
import type { Cycle, RejectionStatus } from '../framework/cycle.ts'
import { nominatedPodsFor } from '../framework/nominated-pods.ts'
import { splitByBudgets } from './disruption-budgets.ts'
import { byImportance, priorityOf } from './pod-importance.ts'

/** The pods to evict from a row, or why evictions there do not help. */
export type VictimSelection =
  | { readonly kind: 'found'; readonly victims: readonly Pod[]; readonly violations: number }
  | { readonly kind: 'useless'; readonly status: RejectionStatus }

/** Status of a node without pods of lower priority. */
export const noVictimsStatus: RejectionStatus = {
  plugin: 'DefaultPreemption',
  code: StatusCode.UnschedulableAndUnresolvable,
  reasons: ['No preemption victims found for incoming pod'],
}

/** Options of {@link selectVictims}. */
export interface VictimSelectionOptions {
  readonly budgets: readonly PodDisruptionBudget[]
  readonly nowMs: number
  /** Uids of pods that are not added back. Default: none. */
  readonly required?: ReadonlySet<string> | undefined
}

/**
 * Removes every pod of lower priority from the row in a dry run, then adds back each one beside which the cycle's pod
 * still fits: pods that a budget protects first, then by importance. Equally important pods keep their order.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/defaultpreemption SelectVictimsOnNode (v1.36)
 */
export function selectVictims(
  cycle: Cycle,
  row: number,
  { budgets, nowMs, required }: VictimSelectionOptions,
): VictimSelection {
  const { table, pod } = cycle
  const candidates = table
    .podsOn(row)
    .filter((other) => priorityOf(other) < priorityOf(pod))
    .sort(byImportance(nowMs))
  if (candidates.length === 0) return { kind: 'useless', status: noVictimsStatus }
  const nominated = nominatedPodsFor(cycle, table.nodeName(row))
  using dryRun = cycle.dryRun(row)
  for (const other of candidates) dryRun.remove(other)
  const status = cycle.filterRowWithNominated(row, nominated)
  if (status !== undefined) return { kind: 'useless', status }
  const cannotStay = (other: Pod): boolean => {
    if (required?.has(other.metadata.uid ?? '') === true) return true
    dryRun.add(other)
    // As upstream, a filter that fails here counts as a rejection.
    if (cycle.fitsRow(row, nominated)) return false
    dryRun.remove(other)
    return true
  }
  const { violating, others } = splitByBudgets(candidates, budgets)
  const protectedVictims = violating.filter(cannotStay)
  const victims = [...protectedVictims, ...others.filter(cannotStay)].sort(byImportance(nowMs))
  return { kind: 'found', victims, violations: protectedVictims.length }
}
