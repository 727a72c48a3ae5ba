import { type Candidates, MAX_NODE_SCORE, type Pod } from '@berth/types'
import type { ClusterTable } from '../state/cluster-table.ts'
import { EMPTY_DOMAIN, NO_DOMAIN, type TopologyColumn } from '../state/topology-columns.ts'
import { podsByRow } from './pods-by-row.ts'
import type { SpreadConstraint } from './spread-constraints.ts'

const HOSTNAME = 'kubernetes.io/hostname'

interface ScoredConstraint {
  readonly column: TopologyColumn
  readonly maxSkew: number
  /** Pods by row for the hostname, by domain for every other key. */
  readonly pods: Float64Array | Int32Array
  readonly isByRow: boolean
  /** Grows with the number of domains, so that few crowded domains do not outweigh many. */
  readonly weight: number
}

/** Rounds half away from zero, as Go does. */
function round(value: number): number {
  return value < 0 ? -Math.round(-value) : Math.round(value)
}

/**
 * The constraints that a pod would like to have met, with what the cluster holds against them.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/podtopologyspread/scoring.go (v1.36)
 */
export class SoftSpread {
  readonly #constraints: readonly ScoredConstraint[]
  readonly #columns: readonly TopologyColumn[]
  /** Nodes that lack a key are not scored. */
  readonly #needsAllKeys: boolean

  constructor(
    table: ClusterTable,
    pod: Pod,
    constraints: readonly SpreadConstraint[],
    options: { readonly feasible: Candidates; readonly needsAllKeys: boolean },
  ) {
    const topology = table.currentTopology()
    const peers = table.currentPeers()
    this.#needsAllKeys = options.needsAllKeys
    this.#columns = constraints.map(({ topologyKey }) => topology.column(topologyKey))
    const { rows, count } = options.feasible
    const scored = rows.subarray(0, count).filter((row) => !this.#isIgnored(row))
    const live = table.rows.live()
    const counted = options.needsAllKeys ? live.filter((row) => !this.#isIgnored(row)) : live
    this.#constraints = constraints.map((constraint, i) => {
      const { matcher, maxSkew, topologyKey } = constraint
      const column = this.#columns[i] ?? topology.column(topologyKey)
      if (topologyKey === HOSTNAME) {
        const pods = podsByRow(peers, live, pod, matcher)
        return { column, maxSkew, pods, isByRow: true, weight: Math.log(scored.length + 2) }
      }
      const byRow = podsByRow(peers, counted, pod, matcher)
      const pods = new Float64Array(column.size)
      for (const row of counted) {
        const domain = domainOf(column, row)
        const found = byRow[row] ?? 0
        if (found > 0 && constraint.counts?.(table.node(row)) !== false) pods[domain] = (pods[domain] ?? 0) + found
      }
      return { column, maxSkew, pods, isByRow: false, weight: Math.log(domainsAmong(scored, column) + 2) }
    })
  }

  score({ rows, count }: Candidates, scores: Float64Array): void {
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? 0
      if (this.#isIgnored(row)) continue
      let score = 0
      for (const { column, maxSkew, pods, isByRow, weight } of this.#constraints) {
        const domain = column.domains[row] ?? NO_DOMAIN
        if (domain === NO_DOMAIN) continue
        score += (pods[isByRow ? row : domain] ?? 0) * weight + (maxSkew - 1)
      }
      scores[i] = round(score)
    }
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
      if (this.#isIgnored(rows[i] ?? 0)) scores[i] = 0
      else if (highest === 0) scores[i] = MAX_NODE_SCORE
      else scores[i] = Math.trunc((MAX_NODE_SCORE * (highest + lowest - (scores[i] ?? 0))) / highest)
    }
  }

  #isIgnored(row: number): boolean {
    if (!this.#needsAllKeys) return false
    for (const { domains } of this.#columns) if ((domains[row] ?? NO_DOMAIN) === NO_DOMAIN) return true
    return false
  }
}

/** A node without the key counts as one with an empty value, as upstream. */
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
