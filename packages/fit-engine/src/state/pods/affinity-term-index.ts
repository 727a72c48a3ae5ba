import type { Pod } from '@berth/types'
import { type AffinityTerms, parseAffinityTerms } from '../../selectors/affinity-terms.ts'

/** Placed pods with the same namespace and the same affinity and anti-affinity to other pods. */
export interface AffinityTermGroup {
  readonly terms: AffinityTerms
  /** Number of the group's pods by row. */
  readonly podCounts: ReadonlyMap<number, number>
}

interface MutableGroup extends AffinityTermGroup {
  readonly podCounts: Map<number, number>
}

/** The affinity terms of one pod with the key of their group. */
export interface KeyedAffinityTerms {
  readonly groupKey: string
  readonly terms: AffinityTerms
}

function hasPodAffinity({ spec: { affinity } }: Pod): boolean {
  return affinity?.podAffinity != null || affinity?.podAntiAffinity != null
}

function groupKeyOf({ metadata, spec: { affinity } }: Pod): string {
  return `${metadata.namespace ?? ''}\0${JSON.stringify([affinity?.podAffinity, affinity?.podAntiAffinity])}`
}

/**
 * Indexes the placed pods that have affinity or anti-affinity to other pods by their terms. The pods of one workload
 * have the same terms, so their terms are parsed and evaluated once. Forks share data until one side changes (copy on
 * write).
 */
export class AffinityTermIndex {
  #groups = new Map<string, MutableGroup>()
  #isShared = false

  get isEmpty(): boolean {
    return this.#groups.size === 0
  }

  groups(): Iterable<AffinityTermGroup> {
    return this.#groups.values()
  }

  /** Parses the pod's terms for {@link AffinityTermIndex.add}. Returns undefined for a pod without pod affinity. */
  parse(pod: Pod): KeyedAffinityTerms | undefined {
    if (!hasPodAffinity(pod)) return undefined
    const groupKey = groupKeyOf(pod)
    return { groupKey, terms: this.#groups.get(groupKey)?.terms ?? parseAffinityTerms(pod) }
  }

  add(row: number, { groupKey, terms }: KeyedAffinityTerms): void {
    this.#unshare()
    let group = this.#groups.get(groupKey)
    if (group === undefined) this.#groups.set(groupKey, (group = { terms, podCounts: new Map() }))
    group.podCounts.set(row, (group.podCounts.get(row) ?? 0) + 1)
  }

  /** Removes the pod, which must be the object whose terms were added. */
  remove(row: number, pod: Pod): void {
    if (!hasPodAffinity(pod)) return
    this.#unshare()
    const groupKey = groupKeyOf(pod)
    const podCounts = this.#groups.get(groupKey)?.podCounts
    const count = podCounts?.get(row) ?? 0
    if (count > 1) podCounts?.set(row, count - 1)
    else podCounts?.delete(row)
    if (podCounts?.size === 0) this.#groups.delete(groupKey)
  }

  copy(): AffinityTermIndex {
    const copy = new AffinityTermIndex()
    copy.#groups = this.#groups
    copy.#isShared = true
    this.#isShared = true
    return copy
  }

  #unshare(): void {
    if (!this.#isShared) return
    const copied = ({ terms, podCounts }: MutableGroup): MutableGroup => ({ terms, podCounts: new Map(podCounts) })
    this.#groups = new Map(Array.from(this.#groups, ([key, group]) => [key, copied(group)]))
    this.#isShared = false
  }
}
