import type { Refusal } from './cycle.ts'

/** Rows that were turned away, each with a refusal that many may share. */
export class RejectedRows {
  readonly rows: Int32Array
  /** By position in `rows` a position in `refusals`. */
  readonly #indexes: Int32Array
  readonly #refusals: Refusal[] = []
  #size = 0

  constructor(capacity: number) {
    this.rows = new Int32Array(capacity)
    this.#indexes = new Int32Array(capacity)
  }

  get size(): number {
    return this.#size
  }

  add(row: number, plugin: string, code: Refusal['code'], reasons: readonly string[]): void {
    this.rows[this.#size] = row
    this.#indexes[this.#size] = this.#indexOf(plugin, code, reasons)
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

  #indexOf(plugin: string, code: Refusal['code'], reasons: readonly string[]): number {
    // Filters share lists, and neighbours tend to have the same: the newest few are worth a look, no more.
    for (let index = this.#refusals.length - 1, tries = 8; index >= 0 && tries > 0; index--, tries--) {
      const known = this.#refusals[index]
      if (known?.reasons === reasons && known.code === code && known.plugin === plugin) return index
    }
    return this.#refusals.push({ plugin, code, reasons }) - 1
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
