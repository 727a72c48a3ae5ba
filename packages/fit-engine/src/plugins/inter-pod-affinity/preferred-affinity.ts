import { type Candidates, MAX_NODE_SCORE } from '@berth/types'
import type { AffinityTermGroup } from '../../state/pods/affinity-term-index.ts'
import type { ClusterTable } from '../../state/cluster-table.ts'
import type { AffinityTerm } from '../../selectors/affinity-terms.ts'
import { type IncomingPod, isSelectedBy, visitSelected } from './incoming-pod.ts'
import { TopologyCounts } from './topology-counts.ts'

/**
 * What a pod would like about other pods, and others about it: weights summed by topology domain.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/interpodaffinity/scoring.go (v1.36)
 */
export class PreferredAffinity {
  readonly #incoming: IncomingPod
  readonly #weights: TopologyCounts

  /** @param hardWeight - What it is worth to meet the required affinity of a pod that is there; 0 to 100. */
  constructor(table: ClusterTable, incoming: IncomingPod, hardWeight: number) {
    this.#incoming = incoming
    this.#weights = new TopologyCounts(table.currentTopology())
    const { preferredAffinity, preferredAntiAffinity } = incoming.terms
    this.#addOwn(table, preferredAffinity, 1)
    this.#addOwn(table, preferredAntiAffinity, -1)
    for (const bond of table.indexes.affinityTerms.groups()) {
      const { requiredAffinity, preferredAffinity, preferredAntiAffinity } = bond.terms
      if (hardWeight > 0) for (const term of requiredAffinity) this.#addTheirs(bond, term, hardWeight)
      for (const term of preferredAffinity) this.#addTheirs(bond, term, term.weight)
      for (const term of preferredAntiAffinity) this.#addTheirs(bond, term, -term.weight)
    }
  }

  /** No wish of anybody concerns any node. */
  get isEmpty(): boolean {
    return !this.#weights.isTouched
  }

  score({ rows, count }: Candidates, scores: Float64Array): void {
    for (const sum of this.#weights.sums) sum.addTo(scores, rows, count)
  }

  #addOwn(table: ClusterTable, terms: readonly AffinityTerm[], sign: 1 | -1): void {
    if (terms.length === 0) return
    const peers = table.currentPodLabels()
    for (const term of terms) {
      const sum = this.#weights.of(term.topologyKey)
      visitSelected(peers, [term], (row) => sum.add(row, sign * term.weight))
    }
  }

  #addTheirs({ podCounts: rows }: AffinityTermGroup, term: AffinityTerm, weight: number): void {
    if (!isSelectedBy(this.#incoming, term)) return
    const sum = this.#weights.of(term.topologyKey)
    for (const [row, pods] of rows) sum.add(row, weight * pods)
  }
}

/** Stretches the scores to 0..100; all 0 where they are equal. */
export function stretchScores(scores: Float64Array, count: number): void {
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
