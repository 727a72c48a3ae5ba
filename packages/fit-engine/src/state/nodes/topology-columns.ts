import type { Node } from '@berth/types'
import { labelOf } from '../../selectors/label-requirement.ts'
import type { NodeRows } from './node-rows.ts'

/** The topology keys come from pods, so only the most recently used ones are kept. */
const MAX_COLUMNS = 16
/** A column with more values per row than this holds many that no node has any more, and is dropped. */
const MAX_VALUES_PER_ROW = 2
const MIN_VALUES = 64

/** The domain of a row whose node does not have the key. */
export const NO_DOMAIN = -1
/** The domain of the empty value, which exists in every column. */
export const EMPTY_DOMAIN = 0

/** The topology domains of one key: the number of each node's label value, by row. */
export class TopologyColumn {
  readonly key: string
  /** By row: the number of the node's value, or {@link NO_DOMAIN}. */
  domains: Int32Array = new Int32Array(0)
  readonly #numbers = new Map<string, number>([['', EMPTY_DOMAIN]])

  constructor(key: string) {
    this.key = key
  }

  /** One more than the highest number in use. */
  get size(): number {
    return this.#numbers.size
  }

  set(row: number, node: Node | undefined): void {
    const value = labelOf(node?.metadata.labels ?? {}, this.key)
    this.domains[row] = value === undefined ? NO_DOMAIN : this.#numberOf(value)
  }

  grow(rowCount: number): void {
    if (rowCount <= this.domains.length) return
    const domains = new Int32Array(rowCount * 2).fill(NO_DOMAIN)
    domains.set(this.domains)
    this.domains = domains
  }

  copy(): TopologyColumn {
    const copy = new TopologyColumn(this.key)
    copy.domains = this.domains.slice()
    for (const [value, number] of this.#numbers) copy.#numbers.set(value, number)
    return copy
  }

  #numberOf(value: string): number {
    const known = this.#numbers.get(value)
    if (known !== undefined) return known
    const number = this.#numbers.size
    this.#numbers.set(value, number)
    return number
  }
}

/**
 * Indexes the rows by topology domain, for the topology keys that were queried last. The index refreshes itself lazily:
 * it compares each row's node object with the one it saw last.
 */
export class TopologyColumns {
  #nodes: (Node | undefined)[] = []
  /** By topology key, least recently used first. */
  #columns = new Map<string, TopologyColumn>()
  /** The change count at the last complete refresh. */
  #seenChanges = -1

  /**
   * Updates the columns for the nodes that changed since the last call. Call it before {@link TopologyColumns.column}.
   *
   * @param changes - Change count of the nodes: an unchanged count means unchanged nodes.
   */
  refresh(rows: NodeRows, changes: number): void {
    if (this.#seenChanges === changes) return
    const { limit } = rows
    const columns = [...this.#columns.values()]
    for (const column of columns) column.grow(limit)
    for (let row = 0; row < Math.max(limit, this.#nodes.length); row++) {
      const node = rows.nodeOf(row)
      if (this.#nodes[row] === node) continue
      for (const column of columns) column.set(row, node)
      this.#nodes[row] = node
    }
    for (const { key, size } of columns) {
      if (size > MAX_VALUES_PER_ROW * limit + MIN_VALUES) this.#columns.delete(key)
    }
    // Set last: after a failure, the next call resumes with the rows that still differ.
    this.#seenChanges = changes
  }

  /** Returns the column of the key as of the last refresh. */
  column(key: string): TopologyColumn {
    const column = this.#columns.get(key) ?? this.#createColumn(key)
    this.#columns.delete(key)
    this.#columns.set(key, column)
    if (this.#columns.size > MAX_COLUMNS) this.#columns.delete(this.#columns.keys().next().value ?? '')
    return column
  }

  copy(): TopologyColumns {
    const copy = new TopologyColumns()
    copy.#nodes = [...this.#nodes]
    copy.#seenChanges = this.#seenChanges
    for (const [key, column] of this.#columns) copy.#columns.set(key, column.copy())
    return copy
  }

  #createColumn(key: string): TopologyColumn {
    const column = new TopologyColumn(key)
    column.grow(this.#nodes.length)
    for (let row = 0; row < this.#nodes.length; row++) column.set(row, this.#nodes[row])
    return column
  }
}

/** Returns by row: 1 where the node has the keys of all columns, 0 elsewhere and for rows not in `rows`. */
export function rowsInAll(columns: readonly TopologyColumn[], rows: Int32Array): Uint8Array {
  const hasAll = new Uint8Array((rows.at(-1) ?? -1) + 1)
  for (const row of rows) hasAll[row] = 1
  for (const { domains } of columns) for (const row of rows) if (domains[row] === NO_DOMAIN) hasAll[row] = 0
  return hasAll
}
