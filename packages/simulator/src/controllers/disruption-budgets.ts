import type { LabelSelector } from '@berth/types'
import type { ApiObject } from '../json/api-object.ts'
import { valueAt } from '../json/json-object.ts'
import { labelTest } from '../selectors/label-selector.ts'
import type { Controller, ControllerParts } from './controller.ts'
import { isActive, isReady } from './pod-state.ts'
import { amountOf } from './rollout.ts'

/** Counts in each PodDisruptionBudget how many of its pods may be evicted at the moment. */
export function disruptionController({ context, client }: ControllerParts): Controller {
  const budgets = context.store.collection('policy/poddisruptionbudgets')
  const testOf = (budget: ApiObject): ReturnType<typeof labelTest> =>
    labelTest(valueAt(budget, 'spec', 'selector') as LabelSelector | undefined)
  return {
    name: 'disruption-budgets',
    interest(storage, { type, key, object }) {
      if (storage === 'policy/poddisruptionbudgets') return type === 'DELETED' ? [] : [key]
      if (storage !== '/pods' || budgets.size === 0) return []
      return budgets
        .list()
        .filter(
          (budget) => budget.metadata.namespace === object.metadata.namespace && testOf(budget)(object.metadata.labels),
        )
        .map((budget) => `${budget.metadata.namespace}/${budget.metadata.name}`)
    },
    reconcile(key) {
      const budget = budgets.get(key)
      if (budget === undefined) return
      const test = testOf(budget)
      const pods = context.store
        .collection('/pods')
        .list()
        .filter((pod) => pod.metadata.namespace === budget.metadata.namespace && test(pod.metadata.labels))
      client.updateStatus('policy/poddisruptionbudgets', budget, statusOf(budget, pods.filter(isActive)))
    },
  }
}

function statusOf(budget: ApiObject, pods: readonly ApiObject[]): object {
  const minAvailable = valueAt(budget, 'spec', 'minAvailable')
  const maxUnavailable = valueAt(budget, 'spec', 'maxUnavailable')
  const expectedPods = pods.length
  const desiredHealthy =
    maxUnavailable === undefined
      ? amountOf(minAvailable ?? 1, expectedPods, Math.ceil)
      : Math.max(0, expectedPods - amountOf(maxUnavailable, expectedPods, Math.ceil))
  const currentHealthy = pods.filter(isReady).length
  return {
    observedGeneration: budget.metadata.generation,
    disruptionsAllowed: Math.max(0, currentHealthy - desiredHealthy),
    currentHealthy,
    desiredHealthy,
    expectedPods,
  }
}
