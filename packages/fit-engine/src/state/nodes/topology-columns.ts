import type { Node } from '@berth/types'
import { labelOf } from '../../selectors/label-requirement.ts'
import type { NodeRows } from './node-rows.ts'

/** Topology keys come from pods: only so many are kept. */
const MAX_COLUMNS = 16
/** A column with more values than that for each row has seen many come and go. */
const MAX_VALUES_PER_ROW = 2
const MIN_VALUES = 64

/** Of rows whose node does not carry the key. */
export const NO_DOMAIN = -1
/** The domain of the empty value; there in every column. */
export const EMPTY_DOMAIN = 0

/** The values that nodes carry for one topology key, numbered. */
export class TopologyColumn {
  readonly key: string
  /** By row: the number of its value, or {@link NO_DOMAIN}. */
  domains: Int32Array = new Int32Array(0)
  readonly #numbers = new Map<string, number>([['', EMPTY_DOMAIN]])

  constructor(key: string) {
    this.key = key
  }

  /** Above every number in use. */
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
 * Which topology domain each row is in, for the keys that were asked about lately. Nobody tells it of changes: it
 * compares node objects when it is asked.
 */
export class TopologyColumns {
  #nodes: (Node | undefined)[] = []
  /** The one asked for last comes last. */
  #columns = new Map<string, TopologyColumn>()
  #seen = -1

  /** Takes notice of nodes that changed, when `changes` did. To be called before {@link TopologyColumns.column}. */
  refresh(rows: NodeRows, changes: number): void {
    if (this.#seen === changes) return
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
    // Last: what was not finished is begun again.
    this.#seen = changes
  }

  /** The column of the key, as of the last refresh. */
  column(key: string): TopologyColumn {
    const column = this.#columns.get(key) ?? this.#make(key)
    this.#columns.delete(key)
    this.#columns.set(key, column)
    if (this.#columns.size > MAX_COLUMNS) this.#columns.delete(this.#columns.keys().next().value ?? '')
    return column
  }

  copy(): TopologyColumns {
    const copy = new TopologyColumns()
    copy.#nodes = [...this.#nodes]
    copy.#seen = this.#seen
    for (const [key, column] of this.#columns) copy.#columns.set(key, column.copy())
    return copy
  }

  #make(key: string): TopologyColumn {
    const column = new TopologyColumn(key)
    column.grow(this.#nodes.length)
    for (let row = 0; row < this.#nodes.length; row++) column.set(row, this.#nodes[row])
    return column
  }
}

/** By row: 1 where the node carries the keys of all columns, 0 elsewhere and outside `rows`. */
export function rowsInAll(columns: readonly TopologyColumn[], rows: Int32Array): Uint8Array {
  const isIn = new Uint8Array((rows.at(-1) ?? -1) + 1)
  for (const row of rows) isIn[row] = 1
  for (const { domains } of columns) for (const row of rows) if (domains[row] === NO_DOMAIN) isIn[row] = 0
  return isIn
}
