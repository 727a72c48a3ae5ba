import type { Pod } from '@berth/types'
import { type AffinityTerms, parseAffinityTerms } from '../../selectors/affinity-terms.ts'

/** Pods that count on rows and want the same of other pods. */
export interface AffinityTermGroup {
  readonly terms: AffinityTerms
  /** Row -> how many of these pods it holds. */
  readonly podCounts: ReadonlyMap<number, number>
}

interface OwnBond extends AffinityTermGroup {
  readonly podCounts: Map<number, number>
}

/** What a pod wants of other pods, read before it counts. */
export interface KeyedAffinityTerms {
  readonly key: string
  readonly terms: AffinityTerms
}

function hasBond({ spec: { affinity } }: Pod): boolean {
  return affinity?.podAffinity != null || affinity?.podAntiAffinity != null
}

function bondKey({ metadata, spec: { affinity } }: Pod): string {
  return `${metadata.namespace ?? ''}\0${JSON.stringify([affinity?.podAffinity, affinity?.podAntiAffinity])}`
}

/**
 * The pods that count and have affinity or anti-affinity to other pods, by what they want: pods of one workload want
 * the same, so that their terms are parsed and asked once. Copies share it until one of them changes it.
 */
export class AffinityTermIndex {
  #bonds = new Map<string, OwnBond>()
  #isShared = false

  get isEmpty(): boolean {
    return this.#bonds.size === 0
  }

  groups(): Iterable<AffinityTermGroup> {
    return this.#bonds.values()
  }

  /** Reads the pod for {@link AffinityTermIndex.add}; undefined when it wants nothing. Throws where its terms are none. */
  parse(pod: Pod): KeyedAffinityTerms | undefined {
    if (!hasBond(pod)) return undefined
    const key = bondKey(pod)
    return { key, terms: this.#bonds.get(key)?.terms ?? parseAffinityTerms(pod) }
  }

  add(row: number, { key, terms }: KeyedAffinityTerms): void {
    this.#own()
    let bond = this.#bonds.get(key)
    if (bond === undefined) this.#bonds.set(key, (bond = { terms, podCounts: new Map() }))
    bond.podCounts.set(row, (bond.podCounts.get(row) ?? 0) + 1)
  }

  /** The pod must be the object that was added. */
  remove(row: number, pod: Pod): void {
    if (!hasBond(pod)) return
    this.#own()
    const key = bondKey(pod)
    const rows = this.#bonds.get(key)?.podCounts
    const count = rows?.get(row) ?? 0
    if (count > 1) rows?.set(row, count - 1)
    else rows?.delete(row)
    if (rows?.size === 0) this.#bonds.delete(key)
  }

  copy(): AffinityTermIndex {
    const copy = new AffinityTermIndex()
    copy.#bonds = this.#bonds
    copy.#isShared = true
    this.#isShared = true
    return copy
  }

  #own(): void {
    if (!this.#isShared) return
    this.#bonds = new Map(Array.from(this.#bonds, ([key, { terms, podCounts: rows }]) => [key, { terms, rows: new Map(rows) }]))
    this.#isShared = false
  }
}
