import type { RejectedRows } from '../decide/rejected-nodes.ts'
import type { RejectionStatus } from '../framework/cycle.ts'
import type { ClusterTable } from '../state/cluster-table.ts'

/** The nodes on which evictions may help. Sorts them by name only when their order matters. */
export class PotentialNodes {
  readonly #nameOf: (row: number) => string
  readonly #rows: Int32Array
  #sorted: readonly (readonly [string, number])[] | undefined

  constructor(table: ClusterTable, rows: Int32Array) {
    const names = table.rows.namesByRow()
    this.#nameOf = (row) => names[row] ?? ''
    this.#rows = rows
  }

  get count(): number {
    return this.#rows.length
  }

  /** Sorted. */
  get names(): readonly string[] {
    return this.#byName().map(([name]) => name)
  }

  /** Returns every row in the order in which they are searched: by name, from the node at the offset. */
  orderFrom(offset: number): readonly number[] {
    const sorted = this.#byName()
    return [...sorted.slice(offset), ...sorted.slice(0, offset)].map(([, row]) => row)
  }

  /** Returns why evictions do not help, by name, for the nodes that were searched in the order from the offset. */
  failed(
    useless: RejectedRows,
    others: ReadonlyMap<number, RejectionStatus>,
    { offset, searched }: { readonly offset: number; readonly searched: number },
  ): ReadonlyMap<string, Pick<RejectionStatus, 'code' | 'reasons'>> {
    const statuses = new Map(others)
    useless.rows.forEach((row, i) => {
      const status = useless.statusAt(i)
      if (status !== undefined) statuses.set(row, status)
    })
    return new Map(
      this.orderFrom(offset)
        .slice(0, searched)
        .flatMap((row) => {
          const status = statuses.get(row)
          return status === undefined ? [] : [[this.#nameOf(row), { code: status.code, reasons: status.reasons }]]
        }),
    )
  }

  #byName(): readonly (readonly [string, number])[] {
    this.#sorted ??= Array.from(this.#rows, (row) => [this.#nameOf(row), row] as const).sort(([a], [b]) =>
      a < b ? -1 : 1,
    )
    return this.#sorted
  }
}
