import { type Candidates, type Pod, StatusCode } from '@berth/types'
import type { EngineFilterOutput } from '../../framework/engine-plugin.ts'
import type { ClusterTable } from '../../state/cluster-table.ts'
import { parseAffinityTerms } from '../../selectors/affinity-terms.ts'
import { type IncomingPod, isSelectedBy, ownTermSelects, visitSelected } from './incoming-pod.ts'
import { TopologyCounts, type TopologySum } from './topology-counts.ts'

const AFFINITY_MISMATCH = ["node(s) didn't match pod affinity rules"] as const
const ANTI_AFFINITY_MISMATCH = ["node(s) didn't match pod anti-affinity rules"] as const
const EXISTING_ANTI_AFFINITY_MISMATCH = ["node(s) didn't satisfy existing pods anti-affinity rules"] as const

/**
 * Matches of the required affinity terms of a pod, and of existing pods' required anti-affinity terms with it, counted
 * by topology domain.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (v1.36)
 */
export class RequiredAffinity {
  readonly #incoming: IncomingPod
  /** Pods that match all affinity terms, by the key of each term. */
  readonly #affinityCounts: TopologyCounts
  /** Pods that match an anti-affinity term, by the term's key. */
  readonly #antiAffinityCounts: TopologyCounts
  /** The sum of each affinity term, and of each anti-affinity term. */
  readonly #affinitySums: readonly TopologySum[]
  readonly #antiAffinitySums: readonly TopologySum[]
  /** Existing pods with an anti-affinity term that the incoming pod matches, by the term's key. */
  readonly #existingAntiAffinityCounts: TopologyCounts

  constructor(table: ClusterTable, incoming: IncomingPod) {
    const { requiredAffinity, requiredAntiAffinity } = incoming.terms
    const topology = table.currentTopology()
    this.#incoming = incoming
    this.#affinityCounts = new TopologyCounts(topology)
    this.#antiAffinityCounts = new TopologyCounts(topology)
    this.#existingAntiAffinityCounts = new TopologyCounts(topology)
    for (const { terms, podCounts } of table.indexes.affinityTerms.groups()) {
      for (const term of terms.requiredAntiAffinity) {
        if (!isSelectedBy(incoming, term)) continue
        const sum = this.#existingAntiAffinityCounts.of(term.topologyKey)
        for (const [row, pods] of podCounts) sum.add(row, pods)
      }
    }
    this.#affinitySums = requiredAffinity.map(({ topologyKey }) => this.#affinityCounts.of(topologyKey))
    this.#antiAffinitySums = requiredAntiAffinity.map(({ topologyKey }) => this.#antiAffinityCounts.of(topologyKey))
    if (requiredAffinity.length === 0 && requiredAntiAffinity.length === 0) return
    const podLabels = table.currentPodLabels()
    if (requiredAffinity.length > 0) {
      visitSelected(podLabels, requiredAffinity, (row) => {
        for (const sum of this.#affinitySums) sum.add(row, 1)
      })
    }
    requiredAntiAffinity.forEach((term, i) =>
      visitSelected(podLabels, [term], (row) => this.#antiAffinitySums[i]?.add(row, 1)),
    )
  }

  /** Whether there is nothing to filter by. */
  get isEmpty(): boolean {
    const { requiredAffinity, requiredAntiAffinity } = this.#incoming.terms
    return this.#existingAntiAffinityCounts.isZero && requiredAffinity.length === 0 && requiredAntiAffinity.length === 0
  }

  filter({ rows, count }: Candidates, output: EngineFilterOutput): void {
    const isFirstOfGroup = this.#isFirstOfGroup()
    const existingSums = this.#existingAntiAffinityCounts.sums.filter(({ nonZeroCount }) => nonZeroCount > 0)
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? 0
      if (!this.#satisfiesAffinity(row, isFirstOfGroup))
        output.rejectShared(i, StatusCode.UnschedulableAndUnresolvable, AFFINITY_MISMATCH)
      else if (isAnyAboveZero(this.#antiAffinitySums, row))
        output.rejectShared(i, StatusCode.Unschedulable, ANTI_AFFINITY_MISMATCH)
      else if (isAnyAboveZero(existingSums, row))
        output.rejectShared(i, StatusCode.Unschedulable, EXISTING_ANTI_AFFINITY_MISMATCH)
    }
  }

  /** Updates the counts for a pod that was added to the row or removed from it. */
  updateCounts(other: Pod, row: number, delta: 1 | -1): void {
    const { requiredAffinity, requiredAntiAffinity } = this.#incoming.terms
    for (const term of parseAffinityTerms(other).requiredAntiAffinity) {
      if (isSelectedBy(this.#incoming, term)) this.#existingAntiAffinityCounts.of(term.topologyKey).add(row, delta)
    }
    if (requiredAffinity.every((term) => ownTermSelects(term, other))) {
      for (const sum of this.#affinitySums) sum.add(row, delta)
    }
    requiredAntiAffinity.forEach((term, i) => {
      if (ownTermSelects(term, other)) this.#antiAffinitySums[i]?.add(row, delta)
    })
  }

  /** Returns whether no pod matches the pod's terms but the pod itself does: it is the first pod of its group. */
  #isFirstOfGroup(): boolean {
    const { terms, pod } = this.#incoming
    return this.#affinityCounts.isZero && terms.requiredAffinity.every((term) => ownTermSelects(term, pod))
  }

  #satisfiesAffinity(row: number, isFirstOfGroup: boolean): boolean {
    let hasUnmatchedTerm = false
    for (const sum of this.#affinitySums) {
      const pods = sum.at(row)
      if (pods === undefined) return false
      if (pods <= 0) hasUnmatchedTerm = true
    }
    return !hasUnmatchedTerm || isFirstOfGroup
  }
}

function isAnyAboveZero(sums: readonly TopologySum[], row: number): boolean {
  for (const sum of sums) if ((sum.at(row) ?? 0) > 0) return true
  return false
}
