import type { Pod, PodDisruptionBudget } from '@berth/types'
import { parseLabelSelector } from '../selectors/label-selector.ts'

/** Pods whose eviction a budget forbids, and the others, each in the given order. */
export interface BudgetSplit {
  readonly violating: readonly Pod[]
  readonly others: readonly Pod[]
}

/**
 * Tells which pods no budget lets go when they leave one after the other. Budgets with an empty or broken selector
 * protect nothing, and a pod that a budget already counts as leaving costs it nothing.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/defaultpreemption filterPodsWithPDBViolation (v1.36)
 */
export function splitByBudgets(pods: readonly Pod[], budgets: readonly PodDisruptionBudget[]): BudgetSplit {
  const counted = budgets.flatMap(({ metadata, spec, status }) => {
    const selector = parseLabelSelector(spec?.selector)
    if (selector.kind === 'invalid' || selector.isEmpty) return []
    const leaving = new Set(Object.keys(status?.disruptedPods ?? {}))
    return { namespace: metadata.namespace, selector, leaving, left: status?.disruptionsAllowed ?? 0 }
  })
  const violating: Pod[] = []
  const others: Pod[] = []
  for (const pod of pods) {
    const { namespace, name = '' } = pod.metadata
    const labels = pod.metadata.labels ?? {}
    const matching = counted.filter(
      (budget) =>
        Object.keys(labels).length > 0 &&
        budget.namespace === namespace &&
        budget.selector.matches(labels) &&
        !budget.leaving.has(name),
    )
    for (const budget of matching) budget.left -= 1
    const isViolating = matching.some(({ left }) => left < 0)
    if (isViolating) violating.push(pod)
    else others.push(pod)
  }
  return { violating, others }
}
