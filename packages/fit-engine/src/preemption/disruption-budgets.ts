import type { Pod, PodDisruptionBudget } from '@berth/types'
import { parseLabelSelector } from '../selectors/label-selector.ts'

/** Pods whose eviction a budget forbids, and the others, each in the given order. */
export interface BudgetSplit {
  readonly violating: readonly Pod[]
  readonly others: readonly Pod[]
}

/**
 * Splits pods by whether a budget forbids their eviction when they are evicted in this order. A budget with an empty or
 * invalid selector protects nothing, and a pod that it already counts as disrupted does not use it up.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/defaultpreemption filterPodsWithPDBViolation (v1.36)
 */
export function splitByBudgets(pods: readonly Pod[], budgets: readonly PodDisruptionBudget[]): BudgetSplit {
  const remaining = budgets.flatMap(({ metadata, spec, status }) => {
    const selector = parseLabelSelector(spec?.selector)
    if (selector.kind === 'invalid' || selector.isEmpty) return []
    const disrupted = new Set(Object.keys(status?.disruptedPods ?? {}))
    return { namespace: metadata.namespace, selector, disrupted, allowed: status?.disruptionsAllowed ?? 0 }
  })
  const violating: Pod[] = []
  const others: Pod[] = []
  for (const pod of pods) {
    const { namespace, name = '' } = pod.metadata
    const labels = pod.metadata.labels ?? {}
    const matching = remaining.filter(
      (budget) =>
        Object.keys(labels).length > 0 &&
        budget.namespace === namespace &&
        budget.selector.matches(labels) &&
        !budget.disrupted.has(name),
    )
    for (const budget of matching) budget.allowed -= 1
    const isViolating = matching.some(({ allowed }) => allowed < 0)
    if (isViolating) violating.push(pod)
    else others.push(pod)
  }
  return { violating, others }
}
