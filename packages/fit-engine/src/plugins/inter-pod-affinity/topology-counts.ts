import { NO_DOMAIN, type TopologyColumn, type TopologyColumns } from '../../state/nodes/topology-columns.ts'

/** Sums by the domains of one topology key. */
export class TopologySum {
  readonly #column: TopologyColumn
  readonly #sums: Float64Array
  /** Number of sums that are not 0. */
  nonZeroCount = 0
  /** Whether anything was added for a domain, even 0. */
  hasEntries = false

  constructor(column: TopologyColumn) {
    this.#column = column
    this.#sums = new Float64Array(column.size)
  }

  /** Adds to the sum of the row's domain; does nothing when the row's node lacks the key. */
  add(row: number, amount: number): void {
    const domain = this.#column.domains[row] ?? NO_DOMAIN
    if (domain === NO_DOMAIN) return
    const before = this.#sums[domain] ?? 0
    const after = before + amount
    this.#sums[domain] = after
    this.hasEntries = true
    if (before === 0 && after !== 0) this.nonZeroCount += 1
    else if (before !== 0 && after === 0) this.nonZeroCount -= 1
  }

  /** Returns the sum of the row's domain; undefined when the row's node lacks the key. */
  at(row: number): number | undefined {
    const domain = this.#column.domains[row] ?? NO_DOMAIN
    return domain === NO_DOMAIN ? undefined : this.#sums[domain]
  }

  /** Adds the sum of each row's domain to its value. */
  addTo(values: Float64Array, rows: Int32Array, count: number): void {
    const { domains } = this.#column
    for (let i = 0; i < count; i++) {
      const domain = domains[rows[i] ?? 0] ?? NO_DOMAIN
      if (domain !== NO_DOMAIN) values[i] = (values[i] ?? 0) + (this.#sums[domain] ?? 0)
    }
  }
}

/** Sums by topology key and domain. */
export class TopologyCounts {
  readonly #topology: TopologyColumns
  readonly #byKey = new Map<string, TopologySum>()
  /** One for each key that {@link TopologyCounts.of} was called with. */
  readonly sums: TopologySum[] = []

  /** @param topology - Must not change while the counts are used. */
  constructor(topology: TopologyColumns) {
    this.#topology = topology
  }

  /** Whether every sum is 0. */
  get isZero(): boolean {
    return this.sums.every(({ nonZeroCount }) => nonZeroCount === 0)
  }

  /** Whether anything was added for a domain, even 0. */
  get hasEntries(): boolean {
    return this.sums.some(({ hasEntries }) => hasEntries)
  }

  /** Returns the sums of a topology key; all 0 at first. */
  of(key: string): TopologySum {
    let sum = this.#byKey.get(key)
    if (sum === undefined) {
      sum = new TopologySum(this.#topology.column(key))
      this.#byKey.set(key, sum)
      this.sums.push(sum)
    }
    return sum
  }
}
