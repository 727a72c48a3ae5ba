import { type Candidates, MAX_NODE_SCORE, type Pod } from '@berth/types'
import type { ClusterTable } from '../../state/cluster-table.ts'
import { EMPTY_DOMAIN, NO_DOMAIN, rowsInAll, type TopologyColumn } from '../../state/nodes/topology-columns.ts'
import type { SpreadConstraint } from './spread-constraints.ts'
import { visitMatchingPods } from './visit-matching-pods.ts'

const HOSTNAME = 'kubernetes.io/hostname'
/** Upstream's score of a node that is not scored. With a maxSkew of 0, a sum can have this value too. */
const IGNORED = -1

interface ScoredConstraint {
  readonly column: TopologyColumn
  readonly maxSkew: number
  /** Matching pods: by row for the hostname key, by domain for every other key. */
  readonly pods: Float64Array
  readonly isByRow: boolean
  /** Grows with the number of domains, so that keys with few crowded domains do not outweigh keys with many. */
  readonly weight: number
}

/** Rounds half away from zero, as in Go. */
function round(value: number): number {
  return value < 0 ? -Math.round(-value) : Math.round(value)
}

/**
 * The ScheduleAnyway constraints of a pod, with the numbers of matching pods by domain.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/podtopologyspread/scoring.go (v1.36)
 */
export class SoftSpread {
  readonly #constraints: readonly ScoredConstraint[]
  /** By row: 0 for nodes that lack a key and are not scored. Undefined when all nodes are scored. */
  readonly #hasAllKeys: Uint8Array | undefined

  constructor(
    table: ClusterTable,
    pod: Pod,
    constraints: readonly SpreadConstraint[],
    options: { readonly feasible: Candidates; readonly needsAllKeys: boolean },
  ) {
    const topology = table.currentTopology()
    const podLabels = table.currentPodLabels()
    const live = table.rows.liveRows()
    const columns = constraints.map(({ topologyKey }) => topology.column(topologyKey))
    const isLive = rowsInAll([], live)
    const isCounted = options.needsAllKeys ? rowsInAll(columns, live) : isLive
    const { rows, count } = options.feasible
    const scored = rows.subarray(0, count).filter((row) => isCounted[row] === 1)
    this.#hasAllKeys = options.needsAllKeys ? isCounted : undefined
    this.#constraints = constraints.map((constraint, i) => {
      const { matcher, maxSkew, topologyKey, countsNode } = constraint
      const column = columns[i] ?? topology.column(topologyKey)
      if (topologyKey === HOSTNAME) {
        const pods = new Float64Array(isLive.length)
        visitMatchingPods(podLabels, pod, matcher, (row) => (pods[row] = (pods[row] ?? 0) + 1))
        return { column, maxSkew, pods, isByRow: true, weight: Math.log(scored.length + 2) }
      }
      const pods = new Float64Array(column.size)
      visitMatchingPods(podLabels, pod, matcher, (row) => {
        if (isCounted[row] !== 1 || countsNode?.(table.node(row)) === false) return
        const domain = domainOf(column, row)
        pods[domain] = (pods[domain] ?? 0) + 1
      })
      return { column, maxSkew, pods, isByRow: false, weight: Math.log(domainsAmong(scored, column) + 2) }
    })
  }

  score({ rows, count }: Candidates, scores: Float64Array): void {
    for (const { column, maxSkew, pods, isByRow, weight } of this.#constraints) {
      const { domains } = column
      for (let i = 0; i < count; i++) {
        const row = rows[i] ?? 0
        const domain = domains[row] ?? NO_DOMAIN
        if (domain === NO_DOMAIN) continue
        scores[i] = (scores[i] ?? 0) + ((pods[isByRow ? row : domain] ?? 0) * weight + (maxSkew - 1))
      }
    }
    for (let i = 0; i < count; i++) scores[i] = this.#isIgnored(rows[i] ?? 0) ? 0 : round(scores[i] ?? 0)
  }

  normalize({ rows, count }: Candidates, scores: Float64Array): void {
    let lowest = Infinity
    let highest = 0
    for (let i = 0; i < count; i++) {
      if (this.#isIgnored(rows[i] ?? 0)) continue
      const score = scores[i] ?? 0
      if (score < lowest) lowest = score
      if (score > highest) highest = score
    }
    for (let i = 0; i < count; i++) {
      if (scores[i] === IGNORED || this.#isIgnored(rows[i] ?? 0)) scores[i] = 0
      else if (highest === 0) scores[i] = MAX_NODE_SCORE
      else scores[i] = Math.trunc((MAX_NODE_SCORE * (highest + lowest - (scores[i] ?? 0))) / highest)
    }
  }

  #isIgnored(row: number): boolean {
    return this.#hasAllKeys !== undefined && this.#hasAllKeys[row] !== 1
  }
}

/** Returns the row's domain. As upstream, a node without the key counts as one with an empty value. */
function domainOf({ domains }: TopologyColumn, row: number): number {
  const domain = domains[row] ?? NO_DOMAIN
  return domain === NO_DOMAIN ? EMPTY_DOMAIN : domain
}

function domainsAmong(rows: Int32Array, column: TopologyColumn): number {
  const isSeen = new Uint8Array(column.size)
  let count = 0
  for (const row of rows) {
    const domain = domainOf(column, row)
    if (isSeen[domain] === 0) count += 1
    isSeen[domain] = 1
  }
  return count
}
