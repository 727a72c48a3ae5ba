import { NO_DOMAIN, type TopologyColumn } from '../state/topology-columns.ts'

interface CountedTopology {
  readonly column: TopologyColumn
  readonly counts: Float64Array
}

/** Sums by topology key and domain. */
export class TopologyCounts {
  readonly #columnOf: (key: string) => TopologyColumn
  readonly #topologies = new Map<string, CountedTopology>()
  #nonZero = 0
  #isTouched = false

  /** @param columnOf - Gives the column of a key; it must not change while the counts are in use. */
  constructor(columnOf: (key: string) => TopologyColumn) {
    this.#columnOf = columnOf
  }

  /** Every sum is 0. */
  get isEmpty(): boolean {
    return this.#nonZero === 0
  }

  /** Something was added for some domain, if only 0. */
  get isTouched(): boolean {
    return this.#isTouched
  }

  /** Adds for the row's domain; does nothing where the row's node does not carry the key. */
  add(key: string, row: number, amount: number): void {
    const { column, counts } = this.#topology(key)
    const domain = column.domains[row] ?? NO_DOMAIN
    if (domain === NO_DOMAIN) return
    const before = counts[domain] ?? 0
    const after = before + amount
    counts[domain] = after
    this.#isTouched = true
    if (before === 0 && after !== 0) this.#nonZero += 1
    else if (before !== 0 && after === 0) this.#nonZero -= 1
  }

  /** The sum for the row's domain; undefined where the row's node does not carry the key. */
  at(key: string, row: number): number | undefined {
    const { column, counts } = this.#topology(key)
    const domain = column.domains[row] ?? NO_DOMAIN
    return domain === NO_DOMAIN ? undefined : (counts[domain] ?? 0)
  }

  /** Whether the sum is above 0 for any key. */
  isAnyAboveZero(row: number): boolean {
    for (const { column, counts } of this.#topologies.values()) {
      const domain = column.domains[row] ?? NO_DOMAIN
      if (domain !== NO_DOMAIN && (counts[domain] ?? 0) > 0) return true
    }
    return false
  }

  /** The sum over all keys. */
  total(row: number): number {
    let total = 0
    for (const { column, counts } of this.#topologies.values()) {
      const domain = column.domains[row] ?? NO_DOMAIN
      if (domain !== NO_DOMAIN) total += counts[domain] ?? 0
    }
    return total
  }

  #topology(key: string): CountedTopology {
    const known = this.#topologies.get(key)
    if (known !== undefined) return known
    const column = this.#columnOf(key)
    const made = { column, counts: new Float64Array(column.size) }
    this.#topologies.set(key, made)
    return made
  }
}
