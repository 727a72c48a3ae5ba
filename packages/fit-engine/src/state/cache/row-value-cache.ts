import type { Candidates } from '@berth/types'
import type { ChangeLog } from './change-log.ts'
import type { Scratch } from './scratch.ts'

/** Number of shapes cached for each owner; each takes one array with a double per row. */
const MAX_SHAPES = 8
/** Number of shapes remembered as requested once. */
const MAX_SEEN_ONCE = 64
/** The cache is used when at least one row in this many is a candidate; computing fewer is faster. */
const MAX_ROWS_PER_CANDIDATE = 4

/** Writes the value of each candidate; all values are 0 before. */
export type RowValueFunction = (candidates: Candidates, values: Float64Array) => void

interface CachedValues {
  readonly values: Float64Array
  rowCount: number
  /** Change count of the log when the values were computed; -1 when they are incomplete. */
  seenChanges: number
}

interface OwnerCache {
  /** Least recently used first. */
  readonly byShape: Map<string, CachedValues>
  readonly seenOnce: Set<string>
}

/**
 * Caches values by row, such as scores, for pods of one shape (equal requests), so that only the rows that changed
 * since the last lookup are computed again. A value must depend on nothing but the shape and the row's amounts.
 */
export class RowValueCache {
  readonly #log: ChangeLog
  readonly #scratch: Scratch
  /** The key is the framework or an object of the plugin, so that plugins with different arguments share nothing. */
  readonly #byOwner = new WeakMap<object, OwnerCache>()
  #rowNumbers = new Int32Array(0)

  constructor(log: ChangeLog, scratch: Scratch) {
    this.#log = log
    this.#scratch = scratch
  }

  /**
   * Returns the values by row, valid until the next change. Returns undefined where computing them directly is as
   * fast: for a shape that is new, or for few candidates.
   */
  lookup(
    owner: object,
    shapeOf: () => string,
    rowCount: number,
    candidates: Candidates,
    compute: RowValueFunction,
  ): Float64Array | undefined {
    if (candidates.count * MAX_ROWS_PER_CANDIDATE < rowCount) return undefined
    const { byShape, seenOnce } = this.#cacheOf(owner)
    const shape = shapeOf()
    const known = byShape.get(shape)
    if (known === undefined && !wasSeen(seenOnce, shape)) return undefined
    const cached =
      known?.rowCount === rowCount ? known : { values: new Float64Array(rowCount), rowCount, seenChanges: -1 }
    byShape.delete(shape)
    byShape.set(shape, cached)
    if (byShape.size > MAX_SHAPES) byShape.delete(byShape.keys().next().value ?? '')
    this.#refresh(cached, compute)
    return cached.values
  }

  #cacheOf(owner: object): OwnerCache {
    let cache = this.#byOwner.get(owner)
    if (cache === undefined) this.#byOwner.set(owner, (cache = { byShape: new Map(), seenOnce: new Set() }))
    return cache
  }

  #refresh(cached: CachedValues, compute: RowValueFunction): void {
    const { count } = this.#log
    if (cached.seenChanges === count) return
    const rows = this.#rowsToCompute(cached)
    // If `compute` throws, the next lookup computes every row.
    cached.seenChanges = -1
    const computed = this.#scratch.takeFloats(rows.length)
    compute({ rows, count: rows.length }, computed)
    for (let i = 0, { length } = rows; i < length; i++) cached.values[rows[i] ?? 0] = computed[i] ?? 0
    this.#scratch.giveBack(computed)
    cached.seenChanges = count
  }

  /** Returns the changed rows, or every row when they are unknown or at least half of all. */
  #rowsToCompute({ seenChanges, rowCount }: CachedValues): Int32Array {
    const changed = seenChanges < 0 ? undefined : this.#log.since(seenChanges)
    return changed !== undefined && changed.length * 2 < rowCount ? changed : this.#allRows(rowCount)
  }

  #allRows(count: number): Int32Array {
    if (this.#rowNumbers.length < count) this.#rowNumbers = Int32Array.from({ length: count }, (_, row) => row)
    return this.#rowNumbers.subarray(0, count)
  }
}

/** Returns whether the shape was requested before, and remembers it. */
function wasSeen(seenOnce: Set<string>, shape: string): boolean {
  if (seenOnce.delete(shape)) return true
  if (seenOnce.size >= MAX_SEEN_ONCE) seenOnce.delete(seenOnce.values().next().value ?? '')
  seenOnce.add(shape)
  return false
}
