import type { ClusterState } from '@berth/fit-engine'
import { isTerminal } from '@berth/resources'
import type { Pod } from '@berth/types'
import { createEvictionBudgets, type EvictionRefusal } from './eviction-budgets.ts'
import { displacedPod, isNodeBound, type WaitingPod } from './waiting-pod.ts'
import type { WhatIf } from './what-if.ts'

/** Nodes whose pods are evicted as far as disruption budgets allow. */
export interface Drain {
  /** Evicts the pods that may leave now. Empty when all are gone or blocked. */
  evict(): readonly WaitingPod[]
  /** Tells that the replacement of an evicted pod has a node, so that its budget allows another eviction. */
  replaced(pod: Pod): void
  /** The pods that stay, each with the reason. */
  blocked(): readonly BlockedPod[]
}

/** A pod that stays on a drained node. */
export interface BlockedPod extends EvictionRefusal {
  readonly pod: Pod
}

/**
 * Drains the nodes of a question.
 *
 * @param state - Loses each evicted pod.
 * @param handled - Pods that other changes have taken from their nodes.
 */
export function startDrain(
  { changes, snapshot, budgets }: Pick<WhatIf, 'changes' | 'snapshot' | 'budgets'>,
  state: ClusterState,
  handled: ReadonlySet<Pod>,
): Drain {
  const allowed = createEvictionBudgets(budgets)
  const drained = new Set(changes.drainedNodes)
  let left: readonly Pod[] = snapshot.pods.filter(
    (pod) => drained.has(pod.spec.nodeName ?? '') && !isTerminal(pod) && !isNodeBound(pod) && !handled.has(pod),
  )
  let blocked: readonly BlockedPod[] = []
  return {
    evict() {
      const tried = left.map((pod) => ({ pod, refusal: allowed.evict(pod) }))
      blocked = tried.flatMap(({ pod, refusal }) => (refusal === undefined ? [] : { pod, ...refusal }))
      left = blocked.map(({ pod }) => pod)
      const evicted = tried.filter(({ refusal }) => refusal === undefined)
      for (const { pod } of evicted) state.deletePod(pod)
      return evicted.map(({ pod }) => displacedPod(pod))
    },
    replaced: (pod) => allowed.giveBack(pod),
    blocked: () => blocked,
  }
}
