import type { InsufficientResource, StatusCode } from '@berth/types'
import type { AskedNodes } from './candidate-rows.ts'
import type {
  Decision,
  DecisionError,
  NodeRejection,
  PluginScores,
  RejectedNodeGroup,
  RejectionGroup,
} from './decision.ts'
import type { RejectionStatus } from '../framework/cycle.ts'
import { indexesOf, pickIndex } from './highest.ts'
import type { ClusterTable } from '../state/cluster-table.ts'
import { countRejections, type RejectedNodes, type RejectedRows } from './rejected-nodes.ts'
import type { FeasibleRows } from './filter-pass.ts'
import type { ScorePass } from './score-pass.ts'

/** The data of a decision, by row. {@link DecisionRecord} builds the maps by node name on first use. */
export interface DecisionParts extends FeasibleRows {
  /** Node names by row at the time of the decision. */
  readonly names: readonly string[]
  /** The state that the rows belong to, and its generation at the time of the decision. */
  readonly source?: { readonly table: ClusterTable; readonly generation: number }
  /** The names that the caller asked for; undefined for all nodes. */
  readonly asked?: AskedNodes | undefined
  /**
   * Undefined when the fast path ran, which does not record rejections, or when a plugin failed before the end of the
   * filters.
   */
  readonly rejected: RejectedNodes | undefined
  readonly message: string
  /** Returns the amounts behind a rejection; undefined once the state has changed. */
  readonly shortages?: (row: number, plugin: string) => readonly InsufficientResource[] | undefined
  readonly scores?: ScorePass | undefined
  /** Whether one node was feasible and therefore not scored; it is then the best one. */
  readonly isOnlyFeasible?: boolean
  readonly error?: DecisionError
}

/** A {@link Decision} over the arrays of its cycle. */
export class DecisionRecord implements Decision {
  readonly message: string
  readonly error?: DecisionError
  readonly feasibleCount: number
  readonly #parts: DecisionParts
  #isReleased = false
  #feasible: readonly string[] | undefined
  #rejectionGroups: readonly RejectionGroup[] | undefined
  #rejected: ReadonlyMap<string, NodeRejection> | undefined
  #totals: ReadonlyMap<string, number> | undefined

  constructor(parts: DecisionParts) {
    this.#parts = parts
    this.feasibleCount = parts.feasible.length
    this.message = parts.message
    if (parts.error !== undefined) this.error = parts.error
  }

  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    const { source, pooledFeasible, scores } = this.#parts
    if (pooledFeasible !== undefined) source?.table.scratch.giveBack(pooledFeasible)
    if (scores?.pooledTotals !== undefined) source?.table.scratch.giveBack(scores.pooledTotals)
  }

  /** The parts whose arrays {@link Decision.release} gives back. */
  get #lent(): Pick<DecisionParts, 'feasible' | 'scores'> {
    if (this.#isReleased) throw new TypeError('the feasible nodes and scores of a released decision cannot be read')
    return this.#parts
  }

  get feasible(): readonly string[] {
    this.#feasible ??= this.#namesOf(this.#lent.feasible)
    return this.#feasible
  }

  get rejectionGroups(): readonly RejectionGroup[] {
    const { rejected } = this.#parts
    if (rejected === undefined) return []
    this.#rejectionGroups ??= countRejections(rejected).flatMap(([status, count]) =>
      count === 0 ? [] : { ...status, count },
    )
    return this.#rejectionGroups
  }

  rejectionCode(nodeName: string): StatusCode | undefined {
    const { rejected, names } = this.#parts
    if (rejected === undefined) return undefined
    const position = rejected.rows.rows.findIndex((row) => names[row] === nodeName)
    if (position >= 0) return rejected.rows.statusAt(position)?.code
    return rejected.unknownNames.includes(nodeName) ? rejected.unknownStatus.code : undefined
  }

  /**
   * Returns the rejected rows of the cluster state; undefined when there are none, or when a row may belong to another
   * node by now because the state has changed.
   */
  rejectedRowsOf(table: ClusterTable): RejectedRows | undefined {
    const { source, rejected } = this.#parts
    return source?.table === table && source.generation === table.generation ? rejected?.rows : undefined
  }

  get rejected(): ReadonlyMap<string, NodeRejection> {
    this.#rejected ??= this.#listRejected()
    return this.#rejected
  }

  get totals(): ReadonlyMap<string, number> {
    this.#totals ??= this.#byName(this.#lent.scores?.totals)
    return this.#totals
  }

  totalsOf(nodeNames: readonly string[]): Float64Array {
    const { asked, names } = this.#parts
    const { feasible, scores } = this.#lent
    if (asked?.names !== nodeNames) return Float64Array.from(nodeNames, (name) => this.totals.get(name) ?? 0)
    const totals = new Float64Array(asked.rows.length)
    if (scores === undefined) return totals
    const positions = new Int32Array(names.length)
    for (let i = 0; i < feasible.length; i++) positions[feasible[i] ?? 0] = i + 1
    for (let i = 0; i < totals.length; i++) {
      const row = asked.rows[i] ?? -1
      const position = row < 0 ? 0 : (positions[row] ?? 0)
      if (position > 0) totals[i] = scores.totals[position - 1] ?? 0
    }
    return totals
  }

  get best(): readonly string[] {
    const { isOnlyFeasible } = this.#parts
    const { scores, feasible } = this.#lent
    if (isOnlyFeasible === true) return this.feasible
    if (scores === undefined) return []
    return indexesOf(scores.totals, scores.highest).map((i) => this.#name(feasible[i] ?? 0))
  }

  pickBest(random: () => number): string | undefined {
    const { isOnlyFeasible } = this.#parts
    const { scores, feasible } = this.#lent
    if (isOnlyFeasible === true) return this.#name(feasible[0] ?? 0)
    if (scores === undefined) return undefined
    const row = feasible[pickIndex(scores.totals, scores.highest, random)]
    return row === undefined ? undefined : this.#name(row)
  }

  get scores(): readonly PluginScores[] {
    return (this.#lent.scores?.plugins ?? []).map(({ plugin, weight, scores }) => ({
      plugin,
      weight,
      normalized: this.#byName(scores),
    }))
  }

  get funnel(): DecisionParts['funnel'] {
    return this.#parts.funnel
  }

  #name(row: number): string {
    return this.#parts.names[row] ?? ''
  }

  #namesOf(rows: Int32Array): readonly string[] {
    // Array.from with a function goes through an iterator, and grows its array as it goes.
    const names: string[] = []
    names.length = rows.length
    for (let i = 0; i < rows.length; i++) names[i] = this.#name(rows[i] ?? 0)
    return names
  }

  #byName(values: Float64Array | undefined): ReadonlyMap<string, number> {
    const map = new Map<string, number>()
    const { feasible } = this.#lent
    values?.forEach((value, i) => map.set(this.#name(feasible[i] ?? 0), value))
    return map
  }

  rejectedNodeGroups(): readonly RejectedNodeGroup[] {
    const { rejected } = this.#parts
    if (rejected === undefined) return []
    const { rows, unknownNames, unknownStatus } = rejected
    const groups = rows.rowsByStatus().map(([status, ofStatus]): RejectedNodeGroup => {
      return { ...this.#rejectionOf(ofStatus[0] ?? 0, status), nodeNames: this.#namesOf(ofStatus) }
    })
    if (unknownNames.length === 0) return groups
    const { plugin, code, reasons } = unknownStatus
    return [...groups, { code, rejection: { plugin, reasons }, nodeNames: unknownNames }]
  }

  #rejectionOf(row: number, { plugin, code, reasons }: RejectionStatus): NodeRejection {
    const insufficient = this.#parts.shortages?.(row, plugin) ?? []
    return { code, rejection: { plugin, reasons, ...(insufficient.length > 0 && { insufficient }) } }
  }

  #listRejected(): ReadonlyMap<string, NodeRejection> {
    const map = new Map<string, NodeRejection>()
    const { rejected } = this.#parts
    if (rejected === undefined) return map
    rejected.rows.rows.forEach((row, i) => {
      map.set(this.#name(row), this.#rejectionOf(row, rejected.rows.statusAt(i) ?? rejected.unknownStatus))
    })
    const { plugin, code, reasons } = rejected.unknownStatus
    for (const name of rejected.unknownNames) map.set(name, { code, rejection: { plugin, reasons } })
    return map
  }
}
