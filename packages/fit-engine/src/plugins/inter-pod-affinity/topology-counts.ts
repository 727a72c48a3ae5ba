import { NO_DOMAIN, type TopologyColumn, type TopologyColumns } from '../../state/nodes/topology-columns.ts'

/** Sums by the domains of one topology key. */
export class TopologySum {
  readonly #column: TopologyColumn
  readonly #sums: Float64Array
  /** How many sums are not 0. */
  nonZero = 0
  /** Something was added for some domain, if only 0. */
  isTouched = false

  constructor(column: TopologyColumn) {
    this.#column = column
    this.#sums = new Float64Array(column.size)
  }

  /** Adds for the row's domain; does nothing where the row's node does not carry the key. */
  add(row: number, amount: number): void {
    const domain = this.#column.domains[row] ?? NO_DOMAIN
    if (domain === NO_DOMAIN) return
    const before = this.#sums[domain] ?? 0
    const after = before + amount
    this.#sums[domain] = after
    this.isTouched = true
    if (before === 0 && after !== 0) this.nonZero += 1
    else if (before !== 0 && after === 0) this.nonZero -= 1
  }

  /** The sum for the row's domain; undefined where the row's node does not carry the key. */
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
  /** One for each key that was named. */
  readonly sums: TopologySum[] = []

  /** @param topology - Must not change while the counts are in use. */
  constructor(topology: TopologyColumns) {
    this.#topology = topology
  }

  /** Every sum is 0. */
  get isEmpty(): boolean {
    return this.sums.every(({ nonZero }) => nonZero === 0)
  }

  /** Something was added for some domain, if only 0. */
  get isTouched(): boolean {
    return this.sums.some(({ isTouched }) => isTouched)
  }

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
