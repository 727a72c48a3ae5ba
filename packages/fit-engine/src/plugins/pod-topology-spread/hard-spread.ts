import { type Candidates, type Node, type Pod, StatusCode } from '@berth/types'
import type { EngineFilterOutput } from '../../framework/engine-plugin.ts'
import type { ClusterTable } from '../../state/cluster-table.ts'
import { NO_DOMAIN, rowsInAll, type TopologyColumn } from '../../state/nodes/topology-columns.ts'
import { DomainCounts } from './domain-counts.ts'
import type { SpreadConstraint } from './spread-constraints.ts'
import { visitMatchingPods } from './visit-matching-pods.ts'

const SKEWED = ["node(s) didn't match pod topology spread constraints"] as const
const NO_KEY = ["node(s) didn't match pod topology spread constraints (missing required label)"] as const

interface CountedConstraint extends SpreadConstraint {
  readonly column: TopologyColumn
  readonly domains: DomainCounts
  /** 1 when the constraint selects the pod itself, else 0. */
  readonly self: number
}

/** How a node stands with one constraint that rejects it. */
export interface SpreadViolation {
  /** Index of the constraint in the constructor's argument. */
  readonly index: number
  /** Absent when the node lacks the topology key. */
  readonly skew?: {
    /** Number of matching pods in the node's domain. */
    readonly here: number
    /** The smallest number of matching pods in a domain; 0 while there are fewer domains than minDomains. */
    readonly smallest: number
    /** Number of domains. */
    readonly domains: number
    /** 1 when the constraint selects the pod itself, else 0. */
    readonly self: number
  }
}

/**
 * The DoNotSchedule constraints of a pod, with the numbers of matching pods by domain.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (v1.36)
 */
export class HardSpread {
  readonly #pod: Pod
  readonly #constraints: readonly CountedConstraint[]

  constructor(table: ClusterTable, pod: Pod, constraints: readonly SpreadConstraint[]) {
    const topology = table.currentTopology()
    const podLabels = table.currentPodLabels()
    const rows = table.rows.liveRows()
    this.#pod = pod
    const columns = constraints.map(({ topologyKey }) => topology.column(topologyKey))
    const hasAllKeys = rowsInAll(columns, rows)
    this.#constraints = constraints.map((constraint, i) => {
      const { countsNode, matcher } = constraint
      const column = columns[i] ?? topology.column(constraint.topologyKey)
      const domains = new DomainCounts(column.size)
      const isEligible = countsNode === undefined ? hasAllKeys : hasAllKeys.slice()
      for (const row of rows) {
        if (isEligible[row] === 0) continue
        if (countsNode?.(table.node(row)) === false) isEligible[row] = 0
        else domains.addDomain(column.domains[row] ?? 0)
      }
      visitMatchingPods(podLabels, pod, matcher, (row) => {
        if (isEligible[row] === 1) domains.addPod(column.domains[row] ?? 0)
      })
      return { ...constraint, column, domains, self: matcher.matches(pod.metadata.labels ?? {}) ? 1 : 0 }
    })
  }

  /** Returns every constraint that rejects the row. */
  violations(row: number): readonly SpreadViolation[] {
    return this.#constraints.flatMap(({ maxSkew, minDomains, column, domains, self }, index): SpreadViolation[] => {
      const domain = column.domains[row] ?? NO_DOMAIN
      if (domain === NO_DOMAIN) return [{ index }]
      const here = domains.of(domain)
      const smallest = domains.size < minDomains ? 0 : domains.minimum
      const isWithin = here + self - smallest <= maxSkew
      return isWithin ? [] : [{ index, skew: { here, smallest, domains: domains.size, self } }]
    })
  }

  filter({ rows, count }: Candidates, output: EngineFilterOutput): void {
    const limits = this.#constraints.map(({ maxSkew, minDomains, domains, self }) => {
      const smallest = domains.size < minDomains ? 0 : domains.minimum
      return maxSkew + smallest - self
    })
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? 0
      for (let k = 0; k < limits.length; k++) {
        const { column, domains } = this.#constraints[k] ?? {}
        const domain = column?.domains[row] ?? NO_DOMAIN
        if (domain === NO_DOMAIN) {
          output.rejectShared(i, StatusCode.UnschedulableAndUnresolvable, NO_KEY)
          break
        }
        if ((domains?.of(domain) ?? 0) > (limits[k] ?? 0)) {
          output.rejectShared(i, StatusCode.Unschedulable, SKEWED)
          break
        }
      }
    }
  }

  /** Updates the counts for a pod that was added to the row or removed from it, terminating or not. */
  updateCounts(other: Pod, row: number, node: Node, delta: 1 | -1): void {
    if ((other.metadata.namespace ?? '') !== (this.#pod.metadata.namespace ?? '')) return
    if (this.#constraints.some(({ column }) => (column.domains[row] ?? NO_DOMAIN) === NO_DOMAIN)) return
    for (const { matcher, countsNode, column, domains } of this.#constraints) {
      if (!matcher.matches(other.metadata.labels ?? {}) || countsNode?.(node) === false) continue
      domains.change(column.domains[row] ?? 0, delta)
    }
  }
}
