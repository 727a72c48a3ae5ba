import type { InsufficientResource } from '@berth/types'
import type { Decision, DecisionError, NodeRejection, PluginScores } from '../decision.ts'
import type { RejectedNodes } from './rejected-nodes.ts'
import type { ScorePass } from './score-pass.ts'

/** Everything a decision is made of; the maps by name are built when somebody asks for them. */
export interface DecisionParts {
  /** Node names by row, as they were. */
  readonly names: readonly string[]
  readonly feasible: Int32Array
  readonly rejected: RejectedNodes | undefined
  readonly message: string
  /** The numbers behind a rejection; undefined once the state has changed. */
  readonly shortages?: (row: number, plugin: string) => readonly InsufficientResource[] | undefined
  readonly scores?: ScorePass | undefined
  readonly funnel: readonly { readonly plugin: string; readonly before: number; readonly after: number }[]
  readonly error?: DecisionError
}

/** A {@link Decision} over the arrays of its cycle. */
export class DecisionRecord implements Decision {
  readonly message: string
  readonly error?: DecisionError
  readonly #parts: DecisionParts
  #feasible: readonly string[] | undefined
  #rejected: ReadonlyMap<string, NodeRejection> | undefined
  #totals: ReadonlyMap<string, number> | undefined

  constructor(parts: DecisionParts) {
    this.#parts = parts
    this.message = parts.message
    if (parts.error !== undefined) this.error = parts.error
  }

  get feasible(): readonly string[] {
    this.#feasible ??= Array.from(this.#parts.feasible, (row) => this.#name(row))
    return this.#feasible
  }

  get rejected(): ReadonlyMap<string, NodeRejection> {
    this.#rejected ??= this.#listRejected()
    return this.#rejected
  }

  get totals(): ReadonlyMap<string, number> {
    this.#totals ??= this.#byName(this.#parts.scores?.totals)
    return this.#totals
  }

  get best(): readonly string[] {
    const totals = this.#parts.scores?.totals
    if (totals === undefined) return []
    let top = Number.NEGATIVE_INFINITY
    for (let i = 0; i < totals.length; i++) {
      const total = totals[i] ?? 0
      if (total > top) top = total
    }
    const best: string[] = []
    for (let i = 0; i < totals.length; i++) {
      if (totals[i] === top) best.push(this.#name(this.#parts.feasible[i] ?? 0))
    }
    return best
  }

  get scores(): readonly PluginScores[] {
    return (this.#parts.scores?.plugins ?? []).map(({ plugin, weight, scores }) => ({
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

  #byName(values: Float64Array | undefined): ReadonlyMap<string, number> {
    const map = new Map<string, number>()
    values?.forEach((value, i) => map.set(this.#name(this.#parts.feasible[i] ?? 0), value))
    return map
  }

  #listRejected(): ReadonlyMap<string, NodeRejection> {
    const map = new Map<string, NodeRejection>()
    const { rejected, shortages } = this.#parts
    if (rejected === undefined) return map
    const { known } = rejected
    known.rows.forEach((row, i) => {
      const { plugin, code, reasons } = known.refusalAt(i) ?? rejected.unknown
      const insufficient = shortages?.(row, plugin) ?? []
      const rejection = { plugin, reasons, ...(insufficient.length > 0 && { insufficient }) }
      map.set(this.#name(row), { code, rejection })
    })
    const { plugin, code, reasons } = rejected.unknown
    for (const name of rejected.unknownNames) map.set(name, { code, rejection: { plugin, reasons } })
    return map
  }
}
