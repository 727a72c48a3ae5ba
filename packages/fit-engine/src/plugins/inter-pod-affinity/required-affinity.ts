import { type Candidates, type Pod, StatusCode } from '@berth/types'
import type { EngineFilterOutput } from '../../framework/engine-plugin.ts'
import type { ClusterTable } from '../../state/cluster-table.ts'
import { parseAffinityTerms } from '../../selectors/affinity-terms.ts'
import { type IncomingPod, isSelectedBy, ownTermSelects, visitSelected } from './incoming-pod.ts'
import { TopologyCounts, type TopologySum } from './topology-counts.ts'

const NO_COMPANY = ["node(s) didn't match pod affinity rules"] as const
const COMPANY = ["node(s) didn't match pod anti-affinity rules"] as const
const UNWANTED = ["node(s) didn't satisfy existing pods anti-affinity rules"] as const

/**
 * What a pod insists on about other pods, and others about it, counted over the cluster.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (v1.36)
 */
export class RequiredAffinity {
  readonly #incoming: IncomingPod
  /** Pods that match all affinity terms, for the keys of each term. */
  readonly #company: TopologyCounts
  /** Pods that match an anti-affinity term, for the term's key. */
  readonly #avoided: TopologyCounts
  /** The sum for each affinity term, and for each anti-affinity term. */
  readonly #companions: readonly TopologySum[]
  readonly #strangers: readonly TopologySum[]
  /** Pods with an anti-affinity term that the incoming pod matches, for the term's key. */
  readonly #avoiding: TopologyCounts

  constructor(table: ClusterTable, incoming: IncomingPod) {
    const { requiredAffinity, requiredAntiAffinity } = incoming.terms
    const topology = table.currentTopology()
    this.#incoming = incoming
    this.#company = new TopologyCounts(topology)
    this.#avoided = new TopologyCounts(topology)
    this.#avoiding = new TopologyCounts(topology)
    for (const { terms, podCounts: rows } of table.indexes.affinityTerms.groups()) {
      for (const term of terms.requiredAntiAffinity) {
        if (!isSelectedBy(incoming, term)) continue
        const sum = this.#avoiding.of(term.topologyKey)
        for (const [row, pods] of rows) sum.add(row, pods)
      }
    }
    this.#companions = requiredAffinity.map(({ topologyKey }) => this.#company.of(topologyKey))
    this.#strangers = requiredAntiAffinity.map(({ topologyKey }) => this.#avoided.of(topologyKey))
    if (requiredAffinity.length === 0 && requiredAntiAffinity.length === 0) return
    const peers = table.currentPodLabels()
    if (requiredAffinity.length > 0) {
      visitSelected(peers, requiredAffinity, (row) => {
        for (const sum of this.#companions) sum.add(row, 1)
      })
    }
    requiredAntiAffinity.forEach((term, i) => visitSelected(peers, [term], (row) => this.#strangers[i]?.add(row, 1)))
  }

  /** Nobody insists on anything. */
  get isEmpty(): boolean {
    const { requiredAffinity, requiredAntiAffinity } = this.#incoming.terms
    return this.#avoiding.isEmpty && requiredAffinity.length === 0 && requiredAntiAffinity.length === 0
  }

  filter({ rows, count }: Candidates, output: EngineFilterOutput): void {
    const isFirst = this.#isFirstOfItsKind()
    const avoiding = this.#avoiding.sums.filter(({ nonZero }) => nonZero > 0)
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? 0
      if (!this.#hasCompany(row, isFirst)) output.rejectShared(i, StatusCode.UnschedulableAndUnresolvable, NO_COMPANY)
      else if (isAnyAboveZero(this.#strangers, row)) output.rejectShared(i, StatusCode.Unschedulable, COMPANY)
      else if (isAnyAboveZero(avoiding, row)) output.rejectShared(i, StatusCode.Unschedulable, UNWANTED)
    }
  }

  /** Counts one pod more or less on the row. */
  change(other: Pod, row: number, delta: 1 | -1): void {
    const { requiredAffinity, requiredAntiAffinity } = this.#incoming.terms
    for (const term of parseAffinityTerms(other).requiredAntiAffinity) {
      if (isSelectedBy(this.#incoming, term)) this.#avoiding.of(term.topologyKey).add(row, delta)
    }
    if (requiredAffinity.every((term) => ownTermSelects(term, other))) {
      for (const sum of this.#companions) sum.add(row, delta)
    }
    requiredAntiAffinity.forEach((term, i) => {
      if (ownTermSelects(term, other)) this.#strangers[i]?.add(row, delta)
    })
  }

  /** Nobody matches the pod's terms, but it does itself: the first of a group that wants to be together. */
  #isFirstOfItsKind(): boolean {
    const { terms, pod } = this.#incoming
    return this.#company.isEmpty && terms.requiredAffinity.every((term) => ownTermSelects(term, pod))
  }

  #hasCompany(row: number, isFirst: boolean): boolean {
    let isAlone = false
    for (const sum of this.#companions) {
      const pods = sum.at(row)
      if (pods === undefined) return false
      if (pods <= 0) isAlone = true
    }
    return !isAlone || isFirst
  }
}

function isAnyAboveZero(sums: readonly TopologySum[], row: number): boolean {
  for (const sum of sums) if ((sum.at(row) ?? 0) > 0) return true
  return false
}
