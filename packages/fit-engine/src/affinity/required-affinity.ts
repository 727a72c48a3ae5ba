import { type Candidates, type Pod, StatusCode } from '@berth/types'
import type { EngineFilterOutput } from '../framework/engine-plugin.ts'
import type { ClusterTable } from '../state/cluster-table.ts'
import { parseAffinityTerms } from './affinity-terms.ts'
import { type IncomingPod, isSelectedBy, ownTermSelects, selectedByRow } from './incoming-pod.ts'
import { TopologyCounts } from './topology-counts.ts'

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
  /** Pods with an anti-affinity term that the incoming pod matches, for the term's key. */
  readonly #avoiding: TopologyCounts

  constructor(table: ClusterTable, incoming: IncomingPod) {
    const { requiredAffinity, requiredAntiAffinity } = incoming.terms
    const hasOwnTerms = requiredAffinity.length > 0 || requiredAntiAffinity.length > 0
    const topology = table.currentTopology()
    const counts = (): TopologyCounts => new TopologyCounts((key) => topology.column(key))
    this.#incoming = incoming
    this.#company = counts()
    this.#avoided = counts()
    this.#avoiding = counts()
    for (const { terms, rows } of table.neighbours.bonds.all()) {
      for (const term of terms.requiredAntiAffinity) {
        if (!isSelectedBy(incoming, term)) continue
        for (const [row, pods] of rows) this.#avoiding.add(term.topologyKey, row, pods)
      }
    }
    if (!hasOwnTerms) return
    const live = table.rows.live()
    const peers = table.currentPeers()
    const count = (into: TopologyCounts, key: string, pods: Int32Array): void => {
      for (const row of live) if (pods[row] !== 0) into.add(key, row, pods[row] ?? 0)
    }
    if (requiredAffinity.length > 0) {
      const pods = selectedByRow(peers, live, requiredAffinity)
      for (const { topologyKey } of requiredAffinity) count(this.#company, topologyKey, pods)
    }
    for (const term of requiredAntiAffinity) {
      count(this.#avoided, term.topologyKey, selectedByRow(peers, live, [term]))
    }
  }

  /** Nobody insists on anything. */
  get isEmpty(): boolean {
    const { requiredAffinity, requiredAntiAffinity } = this.#incoming.terms
    return this.#avoiding.isEmpty && requiredAffinity.length === 0 && requiredAntiAffinity.length === 0
  }

  filter({ rows, count }: Candidates, output: EngineFilterOutput): void {
    const isFirst = this.#isFirstOfItsKind()
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? 0
      if (!this.#hasCompany(row, isFirst)) output.rejectShared(i, StatusCode.UnschedulableAndUnresolvable, NO_COMPANY)
      else if (this.#meetsAvoided(row)) output.rejectShared(i, StatusCode.Unschedulable, COMPANY)
      else if (this.#avoiding.isAnyAboveZero(row)) output.rejectShared(i, StatusCode.Unschedulable, UNWANTED)
    }
  }

  /** Counts so many pods like this more, or less, on the row. */
  change(other: Pod, row: number, delta: 1 | -1): void {
    const { requiredAffinity, requiredAntiAffinity } = this.#incoming.terms
    for (const term of parseAffinityTerms(other).requiredAntiAffinity) {
      if (isSelectedBy(this.#incoming, term)) this.#avoiding.add(term.topologyKey, row, delta)
    }
    if (requiredAffinity.every((term) => ownTermSelects(term, other))) {
      for (const { topologyKey } of requiredAffinity) this.#company.add(topologyKey, row, delta)
    }
    for (const term of requiredAntiAffinity) {
      if (ownTermSelects(term, other)) this.#avoided.add(term.topologyKey, row, delta)
    }
  }

  /** Nobody matches the pod's terms, but it does itself: the first of a group that wants to be together. */
  #isFirstOfItsKind(): boolean {
    const { terms, pod } = this.#incoming
    return this.#company.isEmpty && terms.requiredAffinity.every((term) => ownTermSelects(term, pod))
  }

  #hasCompany(row: number, isFirst: boolean): boolean {
    let isAlone = false
    for (const { topologyKey } of this.#incoming.terms.requiredAffinity) {
      const pods = this.#company.at(topologyKey, row)
      if (pods === undefined) return false
      if (pods <= 0) isAlone = true
    }
    return !isAlone || isFirst
  }

  #meetsAvoided(row: number): boolean {
    return this.#incoming.terms.requiredAntiAffinity.some(
      ({ topologyKey }) => (this.#avoided.at(topologyKey, row) ?? 0) > 0,
    )
  }
}
