import type { LabelSelector } from '@berth/types'
import { type ApiObject, isReady, labelMatcher, listAt, stringAt, timestamp, valueAt } from '@berth/embedded-api-server'
import type { Controller, ControllerDependencies } from '../loop/controller.ts'
import { isActive } from '../pods/pod-state.ts'
import { amountOf } from '../workloads/rollout.ts'

/** Writes the status of PodDisruptionBudgets: how many pods may be evicted. */
export function disruptionController({ context, writer }: ControllerDependencies): Controller {
  const budgets = context.store.collection('policy/poddisruptionbudgets')
  const testOf = (budget: ApiObject): ReturnType<typeof labelMatcher> =>
    labelMatcher(valueAt(budget, 'spec', 'selector') as LabelSelector | undefined)
  return {
    name: 'disruption-budgets',
    storages: ['policy/poddisruptionbudgets', '/pods'],
    keysFor(storage, { type, key, object }) {
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
      const status = statusOf(budget, pods.filter(isActive))
      writer.updateStatus('policy/poddisruptionbudgets', budget, {
        ...status,
        conditions: [conditionOf(budget, status.disruptionsAllowed, timestamp(context.clock))],
      })
    },
  }
}

function conditionOf(budget: ApiObject, allowed: number, now: string): object {
  const status = allowed > 0 ? 'True' : 'False'
  const before = listAt(budget, 'status', 'conditions').find((each) => stringAt(each, 'type') === 'DisruptionAllowed')
  return {
    type: 'DisruptionAllowed',
    status,
    observedGeneration: budget.metadata.generation,
    lastTransitionTime: stringAt(before, 'status') === status ? stringAt(before, 'lastTransitionTime') : now,
    reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
  }
}

interface BudgetStatus {
  readonly observedGeneration: number | undefined
  readonly disruptionsAllowed: number
  readonly currentHealthy: number
  readonly desiredHealthy: number
  readonly expectedPods: number
}

function statusOf(budget: ApiObject, pods: readonly ApiObject[]): BudgetStatus {
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
