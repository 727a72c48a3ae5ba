import { type Pod, type PodDisruptionBudget, StatusCode } from '@berth/types'
import type { Cycle, Refusal } from '../framework/cycle.ts'
import { nominatedFor } from '../framework/reservations.ts'
import { splitByBudgets } from './disruption-budgets.ts'
import { byImportance, priorityOf } from './pod-importance.ts'

/** Who has to leave a row, or why that does not help. */
export type VictimSearch =
  | { readonly kind: 'found'; readonly victims: readonly Pod[]; readonly violations: number }
  | { readonly kind: 'useless'; readonly refusal: Refusal }

/** There is no pod of lower priority. */
export const nobodyToLeave: Refusal = {
  plugin: 'DefaultPreemption',
  code: StatusCode.UnschedulableAndUnresolvable,
  reasons: ['No preemption victims found for incoming pod'],
}

/**
 * Takes every pod of lower priority off the row and lets them back, those that a budget protects and the more
 * important ones first, as long as the cycle's pod fits beside them. Equal pods keep their order.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/defaultpreemption SelectVictimsOnNode (v1.36)
 */
export function selectVictims(
  cycle: Cycle,
  row: number,
  { budgets, nowMs }: { readonly budgets: readonly PodDisruptionBudget[]; readonly nowMs: number },
): VictimSearch {
  const { table, pod } = cycle
  const potential = table
    .podsOn(row)
    .filter((other) => priorityOf(other) < priorityOf(pod))
    .sort(byImportance(nowMs))
  if (potential.length === 0) return { kind: 'useless', refusal: nobodyToLeave }
  const nominated = nominatedFor(cycle, table.nodeName(row))
  using trial = cycle.trial(row)
  for (const other of potential) trial.remove(other)
  const refusal = cycle.filterRowBesideNominated(row, nominated)
  if (refusal !== undefined) return { kind: 'useless', refusal }
  const cannotStay = (other: Pod): boolean => {
    trial.add(other)
    // A filter that breaks now says no, as upstream has it.
    if (cycle.fitsRow(row, nominated)) return false
    trial.remove(other)
    return true
  }
  const { violating, others } = splitByBudgets(potential, budgets)
  const protectedVictims = violating.filter(cannotStay)
  const victims = [...protectedVictims, ...others.filter(cannotStay)].sort(byImportance(nowMs))
  return { kind: 'found', victims, violations: protectedVictims.length }
}
