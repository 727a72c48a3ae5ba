import type { RejectionStatus } from '../framework/cycle.ts'
import { mergeReasons } from './merge-reasons.ts'

const noRows = new Int32Array(0)
const FIRST_CAPACITY = 64
const MAX_LOOKBACK = 8

/** Rejected rows, each with a status that many rows may share. */
export class RejectedRows {
  #rows: Int32Array = noRows
  /** For each position in `rows`, an index into `statuses`. */
  #indexes: Int32Array = noRows
  readonly #statuses: RejectionStatus[] = []
  #size = 0
  /** Capacity of the first arrays: growing them later takes longer than filling them. */
  readonly #expected: number

  /** @param expected - Capacity to allocate when the first row is added; without rows, nothing is allocated. */
  constructor(expected: number = FIRST_CAPACITY) {
    this.#expected = expected
  }

  /**
   * Returns rejections of all the rows with one status. Refers to `rows` without copying: do not change it afterwards.
   */
  static ofStatus(rows: Int32Array, status: RejectionStatus): RejectedRows {
    const all = new RejectedRows()
    all.register(status)
    all.#rows = rows
    all.#indexes = new Int32Array(rows.length)
    all.#size = rows.length
    return all
  }

  /** The different statuses; some may have no row. */
  get statuses(): readonly RejectionStatus[] {
    return this.#statuses
  }

  get size(): number {
    return this.#size
  }

  /** Ascending within each plugin that rejected. */
  get rows(): Int32Array {
    return this.#rows.subarray(0, this.#size)
  }

  add(row: number, plugin: string, code: RejectionStatus['code'], reasons: readonly string[]): void {
    this.addRegistered(row, this.register({ plugin, code, reasons }))
  }

  /** Returns the id of a status, for {@link RejectedRows.addRegistered}. */
  register({ plugin, code, reasons }: RejectionStatus): number {
    // Filters share lists, and adjacent candidates tend to have the same one: searching the latest few is enough.
    for (let index = this.#statuses.length - 1, tries = MAX_LOOKBACK; index >= 0 && tries > 0; index--, tries--) {
      const known = this.#statuses[index]
      if (known?.reasons === reasons && known.code === code && known.plugin === plugin) return index
    }
    return this.#statuses.push({ plugin, code, reasons }) - 1
  }

  /** Adds a row with a status that was registered before. */
  addRegistered(row: number, status: number): void {
    if (this.#size === this.#rows.length) this.#grow()
    this.#rows[this.#size] = row
    this.#indexes[this.#size] = status
    this.#size += 1
  }

  statusAt(position: number): RejectionStatus | undefined {
    return this.#statuses[this.#indexes[position] ?? 0]
  }

  /** Returns the number of rows by status. */
  counts(): ReadonlyMap<RejectionStatus, number> {
    const counts = new Int32Array(this.#statuses.length)
    for (let i = 0; i < this.#size; i++) {
      const index = this.#indexes[i] ?? 0
      counts[index] = (counts[index] ?? 0) + 1
    }
    return new Map(this.#statuses.map((status, index) => [status, counts[index] ?? 0]))
  }

  /** Returns the rows of each status that has any. */
  rowsByStatus(): readonly (readonly [RejectionStatus, Int32Array])[] {
    const lists = [...this.counts()].map(([status, count]) => [status, new Int32Array(count)] as const)
    const filled = new Int32Array(lists.length)
    for (let i = 0; i < this.#size; i++) {
      const index = this.#indexes[i] ?? 0
      const at = filled[index] ?? 0
      const list = lists[index]?.[1]
      if (list !== undefined) list[at] = this.#rows[i] ?? 0
      filled[index] = at + 1
    }
    return lists.filter(([, rows]) => rows.length > 0)
  }

  #grow(): void {
    const capacity = Math.max(this.#expected, this.#size * 4)
    const rows = new Int32Array(capacity)
    const indexes = new Int32Array(capacity)
    rows.set(this.#rows)
    indexes.set(this.#indexes)
    this.#rows = rows
    this.#indexes = indexes
  }
}

/** Rejected nodes: by row, or by name when the state does not know the node. */
export interface RejectedNodes {
  readonly rows: RejectedRows
  readonly unknownNames: readonly string[]
  readonly unknownStatus: RejectionStatus
}

/** Returns the number of nodes by status, which may be 0. The status of unknown nodes comes last. */
export function countRejections({
  rows,
  unknownNames,
  unknownStatus,
}: RejectedNodes): readonly (readonly [RejectionStatus, number])[] {
  return [...rows.counts(), [unknownStatus, unknownNames.length] as const]
}

/**
 * Returns the number of nodes by reason.
 *
 * @param contributed - Names of the plugins whose reasons are merged when they are many.
 */
export function countReasons(
  { rows, unknownNames, unknownStatus }: RejectedNodes,
  contributed: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const rejections = countRejections({ rows, unknownNames, unknownStatus })
  const merged = mergeReasons(rejections, contributed)
  const counts = new Map<string, number>()
  for (const [{ plugin, reasons }, count] of rejections) {
    if (count === 0) continue
    for (const reason of merged.get(plugin) ?? reasons) counts.set(reason, (counts.get(reason) ?? 0) + count)
  }
  return counts
}
