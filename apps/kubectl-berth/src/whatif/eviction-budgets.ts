import { parseLabelSelector } from '@berth/fit-engine'
import { isTerminal } from '@berth/resources'
import { listNames } from '@berth/text/list-names'
import type { Pod, PodDisruptionBudget } from '@berth/types'
import { isReady } from '../facts/is-ready.ts'

/** A PodDisruptionBudget, with what an eviction reads and a scheduler does not. */
export interface EvictionBudget extends PodDisruptionBudget {
  readonly spec: PodDisruptionBudget['spec'] & { readonly unhealthyPodEvictionPolicy?: string }
  readonly status?: PodDisruptionBudget['status'] & {
    readonly currentHealthy?: number
    readonly desiredHealthy?: number
  }
}

/** The evictions that the disruption budgets of a cluster allow. */
export interface EvictionBudgets {
  /**
   * Evicts a pod, which uses up a disruption of its budget.
   *
   * @returns Why the API server refuses the eviction; undefined when the pod is evicted.
   */
  evict(pod: Pod): EvictionRefusal | undefined
  /** Gives back the disruption of an evicted pod after its replacement has a node. */
  giveBack(pod: Pod): void
}

/** Why a pod may not be evicted. */
export interface EvictionRefusal {
  /** The budgets that forbid it, as `namespace/name`. */
  readonly budgets: readonly string[]
  readonly sentence: string
}

interface Remaining {
  readonly budget: EvictionBudget
  readonly matches: (pod: Pod) => boolean
  allowed: number
}

/**
 * Counts evictions as the API server does: a budget with an empty selector covers every pod of its namespace, one without a
 * selector none. Pods that do not run need no budget.
 *
 * @see kubernetes pkg/registry/core/pod/storage/eviction.go (v1.36)
 */
export function createEvictionBudgets(budgets: readonly EvictionBudget[]): EvictionBudgets {
  const all = budgets.flatMap((budget): Remaining[] => {
    const selector = parseLabelSelector(budget.spec.selector)
    if (selector.kind === 'invalid') return []
    const matches = ({ metadata }: Pod): boolean =>
      metadata.namespace === budget.metadata.namespace && selector.matches(metadata.labels)
    return [{ budget, matches, allowed: budget.status?.disruptionsAllowed ?? 0 }]
  })
  const usedBy = new Map<string | undefined, Remaining>()
  return {
    evict(pod) {
      const [first, ...others] = needsNoBudget(pod) ? [] : all.filter(({ matches }) => matches(pod))
      if (first === undefined) return undefined
      if (others.length > 0) return severalBudgets([first, ...others])
      if (!isReady(pod) && mayEvictUnready(first.budget)) return undefined
      if (first.allowed <= 0) return exhaustedBudget(first)
      first.allowed -= 1
      usedBy.set(pod.metadata.uid, first)
      return undefined
    },
    giveBack({ metadata }) {
      const used = usedBy.get(metadata.uid)
      if (used === undefined) return
      used.allowed += 1
      usedBy.delete(metadata.uid)
    },
  }
}

function needsNoBudget(pod: Pod): boolean {
  return isTerminal(pod) || pod.status?.phase === 'Pending' || pod.metadata.deletionTimestamp !== undefined
}

function mayEvictUnready({ spec, status }: EvictionBudget): boolean {
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {}
  return spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' || (currentHealthy >= desiredHealthy && desiredHealthy > 0)
}

function severalBudgets(found: readonly Remaining[]): EvictionRefusal {
  const budgets = found.map(({ budget }) => nameOf(budget))
  return {
    budgets,
    sentence: `the API server evicts no pod with several PodDisruptionBudgets: ${listNames(budgets, Infinity)}`,
  }
}

function exhaustedBudget({ budget }: Remaining): EvictionRefusal {
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {}
  const name = nameOf(budget)
  return {
    budgets: [name],
    sentence: `PodDisruptionBudget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy}`,
  }
}

function nameOf({ metadata }: EvictionBudget): string {
  return `${metadata.namespace ?? 'default'}/${metadata.name ?? ''}`
}
