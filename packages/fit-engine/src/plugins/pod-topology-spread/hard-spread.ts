import { type Candidates, type Node, type Pod, StatusCode } from '@berth/types'
import type { EngineFilterOutput } from '../../framework/engine-plugin.ts'
import type { ClusterTable } from '../../state/cluster-table.ts'
import { NO_DOMAIN, rowsInAll, type TopologyColumn } from '../../state/nodes/topology-columns.ts'
import { DomainCounts } from './domain-counts.ts'
import type { SpreadConstraint } from './spread-constraints.ts'
import { visitLikes } from './visit-likes.ts'

const SKEWED = ["node(s) didn't match pod topology spread constraints"] as const
const NO_KEY = ["node(s) didn't match pod topology spread constraints (missing required label)"] as const

interface CountedConstraint extends SpreadConstraint {
  readonly column: TopologyColumn
  readonly domains: DomainCounts
  /** 1 when the pod itself would count. */
  readonly self: number
}

/**
 * The constraints that a pod insists on, with what the cluster holds against them.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (v1.36)
 */
export class HardSpread {
  readonly #pod: Pod
  readonly #constraints: readonly CountedConstraint[]

  constructor(table: ClusterTable, pod: Pod, constraints: readonly SpreadConstraint[]) {
    const topology = table.currentTopology()
    const peers = table.currentPodLabels()
    const rows = table.rows.liveRows()
    this.#pod = pod
    const columns = constraints.map(({ topologyKey }) => topology.column(topologyKey))
    const hasAllKeys = rowsInAll(columns, rows)
    this.#constraints = constraints.map((constraint, i) => {
      const { counts, matcher } = constraint
      const column = columns[i] ?? topology.column(constraint.topologyKey)
      const domains = new DomainCounts(column.size)
      const isEligible = counts === undefined ? hasAllKeys : hasAllKeys.slice()
      for (const row of rows) {
        if (isEligible[row] === 0) continue
        if (counts?.(table.node(row)) === false) isEligible[row] = 0
        else domains.include(column.domains[row] ?? 0)
      }
      visitLikes(peers, pod, matcher, (row) => {
        if (isEligible[row] === 1) domains.count(column.domains[row] ?? 0)
      })
      return { ...constraint, column, domains, self: matcher.matches(pod.metadata.labels ?? {}) ? 1 : 0 }
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

  /** Counts one pod more or less on the row, terminating or not. */
  change(other: Pod, row: number, node: Node, delta: 1 | -1): void {
    if ((other.metadata.namespace ?? '') !== (this.#pod.metadata.namespace ?? '')) return
    if (this.#constraints.some(({ column }) => (column.domains[row] ?? NO_DOMAIN) === NO_DOMAIN)) return
    for (const { matcher, counts, column, domains } of this.#constraints) {
      if (!matcher.matches(other.metadata.labels ?? {}) || counts?.(node) === false) continue
      domains.change(column.domains[row] ?? 0, delta)
    }
  }
}
