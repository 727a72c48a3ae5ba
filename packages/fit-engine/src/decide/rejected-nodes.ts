import type { Refusal } from '../framework/cycle.ts'

const noRows = new Int32Array(0)
const FIRST_CAPACITY = 64
const LOOKS_BACK = 8

/** Rows that were turned away, each with a refusal that many may share. */
export class RejectedRows {
  #rows: Int32Array = noRows
  /** By position in `rows` a position in `refusals`. */
  #indexes: Int32Array = noRows
  readonly #refusals: Refusal[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Ascending for each plugin that rejected. */
  get rows(): Int32Array {
    return this.#rows.subarray(0, this.#size)
  }

  add(row: number, plugin: string, code: Refusal['code'], reasons: readonly string[]): void {
    this.addKnown(row, this.known({ plugin, code, reasons }))
  }

  /** The number of a refusal, for {@link RejectedRows.addKnown}. */
  known({ plugin, code, reasons }: Refusal): number {
    // Filters share lists, and neighbours tend to have the same: the newest few are worth a look, no more.
    for (let index = this.#refusals.length - 1, tries = LOOKS_BACK; index >= 0 && tries > 0; index--, tries--) {
      const known = this.#refusals[index]
      if (known?.reasons === reasons && known.code === code && known.plugin === plugin) return index
    }
    return this.#refusals.push({ plugin, code, reasons }) - 1
  }

  /** Adds a row with a refusal that was numbered before. */
  addKnown(row: number, refusal: number): void {
    if (this.#size === this.#rows.length) this.#grow()
    this.#rows[this.#size] = row
    this.#indexes[this.#size] = refusal
    this.#size += 1
  }

  refusalAt(position: number): Refusal | undefined {
    return this.#refusals[this.#indexes[position] ?? 0]
  }

  /** Refusals with the number of rows that have them. */
  counts(): ReadonlyMap<Refusal, number> {
    const counts = new Int32Array(this.#refusals.length)
    for (let i = 0; i < this.#size; i++) {
      const index = this.#indexes[i] ?? 0
      counts[index] = (counts[index] ?? 0) + 1
    }
    return new Map(this.#refusals.map((refusal, index) => [refusal, counts[index] ?? 0]))
  }

  #grow(): void {
    const capacity = Math.max(FIRST_CAPACITY, this.#size * 4)
    const rows = new Int32Array(capacity)
    const indexes = new Int32Array(capacity)
    rows.set(this.#rows)
    indexes.set(this.#indexes)
    this.#rows = rows
    this.#indexes = indexes
  }
}

/** Nodes that were turned away, by row or, where they have no row, by name. */
export interface RejectedNodes {
  readonly known: RejectedRows
  readonly unknownNames: readonly string[]
  readonly unknown: Refusal
}

/** Reason -> number of nodes that gave it. */
export function countReasons({ known, unknownNames, unknown }: RejectedNodes): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const [{ reasons }, count] of [...known.counts(), [unknown, unknownNames.length] as const]) {
    if (count === 0) continue
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + count)
  }
  return counts
}
