import { type Candidates, MAX_NODE_SCORE } from '@berth/types'
import type { AffinityTermGroup } from '../../state/pods/affinity-term-index.ts'
import type { ClusterTable } from '../../state/cluster-table.ts'
import type { AffinityTerm } from '../../selectors/affinity-terms.ts'
import { type IncomingPod, isSelectedBy, visitSelected } from './incoming-pod.ts'
import { TopologyCounts } from './topology-counts.ts'

/**
 * Weights of the preferred affinity terms of a pod and of existing pods' terms that select it, summed by topology
 * domain.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/interpodaffinity/scoring.go (v1.36)
 */
export class PreferredAffinity {
  readonly #incoming: IncomingPod
  readonly #weights: TopologyCounts

  /** @param hardWeight - Weight of required affinity terms of existing pods that select the pod; 0 to 100. */
  constructor(table: ClusterTable, incoming: IncomingPod, hardWeight: number) {
    this.#incoming = incoming
    this.#weights = new TopologyCounts(table.currentTopology())
    const { preferredAffinity, preferredAntiAffinity } = incoming.terms
    this.#addOwnTerms(table, preferredAffinity, 1)
    this.#addOwnTerms(table, preferredAntiAffinity, -1)
    for (const group of table.indexes.affinityTerms.groups()) {
      const { requiredAffinity, preferredAffinity, preferredAntiAffinity } = group.terms
      if (hardWeight > 0) for (const term of requiredAffinity) this.#addExistingTerm(group, term, hardWeight)
      for (const term of preferredAffinity) this.#addExistingTerm(group, term, term.weight)
      for (const term of preferredAntiAffinity) this.#addExistingTerm(group, term, -term.weight)
    }
  }

  /** Whether no term added a weight, even 0, for any node. */
  get isEmpty(): boolean {
    return !this.#weights.hasEntries
  }

  score({ rows, count }: Candidates, scores: Float64Array): void {
    for (const sum of this.#weights.sums) sum.addTo(scores, rows, count)
  }

  #addOwnTerms(table: ClusterTable, terms: readonly AffinityTerm[], sign: 1 | -1): void {
    if (terms.length === 0) return
    const podLabels = table.currentPodLabels()
    for (const term of terms) {
      const sum = this.#weights.of(term.topologyKey)
      visitSelected(podLabels, [term], (row) => sum.add(row, sign * term.weight))
    }
  }

  #addExistingTerm({ podCounts }: AffinityTermGroup, term: AffinityTerm, weight: number): void {
    if (!isSelectedBy(this.#incoming, term)) return
    const sum = this.#weights.of(term.topologyKey)
    for (const [row, pods] of podCounts) sum.add(row, weight * pods)
  }
}

/** Scales the scores to 0..100; all become 0 when they are equal. */
export function normalizeToRange(scores: Float64Array, count: number): void {
  let lowest = Infinity
  let highest = -Infinity
  for (let i = 0; i < count; i++) {
    const score = scores[i] ?? 0
    if (score < lowest) lowest = score
    if (score > highest) highest = score
  }
  const span = highest - lowest
  for (let i = 0; i < count; i++) {
    scores[i] = span > 0 ? Math.trunc(MAX_NODE_SCORE * (((scores[i] ?? 0) - lowest) / span)) : 0
  }
}
