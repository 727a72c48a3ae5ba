import type { Candidates } from '@berth/types'
import type { ChangeLog } from './change-log.ts'
import type { Scratch } from './scratch.ts'

/** Answers kept for each owner, as arrays of doubles by row. */
const MAX_SHAPES = 8
/** Questions remembered as asked once. */
const MAX_SEEN = 64
/** Fewer candidates than that share of the rows are quicker asked than looked up. */
const MIN_SHARE = 4

/** Writes the answer for each candidate; all values are 0 before. */
export type RowValueFunction = (candidates: Candidates, values: Float64Array) => void

interface Answers {
  readonly values: Float64Array
  rowCount: number
  /** Count of the change log when the values were right. */
  seen: number
}

interface Shelf {
  /** The one asked for last comes last. */
  readonly byShape: Map<string, Answers>
  readonly seenOnce: Set<string>
}

/**
 * Remembers what was answered row by row to questions that pods of one shape ask again and again, so that only rows
 * that changed since are asked anew. An answer must follow from the shape and the amounts of the row alone.
 */
export class RowValueCache {
  readonly #log: ChangeLog
  readonly #scratch: Scratch
  /** By whoever asks: a plugin's own object, so that two with different settings never meet. */
  readonly #shelves = new WeakMap<object, Shelf>()
  #identity = new Int32Array(0)

  constructor(log: ChangeLog, scratch: Scratch) {
    this.#log = log
    this.#scratch = scratch
  }

  /**
   * The answers by row; undefined where asking directly is as good: the shape is new, or the candidates are few.
   * Valid until the next change.
   */
  lookup(
    owner: object,
    shapeOf: () => string,
    rowCount: number,
    candidates: Candidates,
    ask: RowValueFunction,
  ): Float64Array | undefined {
    if (candidates.count * MIN_SHARE < rowCount) return undefined
    const shelf = this.#shelfOf(owner)
    const shape = shapeOf()
    const known = shelf.byShape.get(shape)
    if (known === undefined && !wasSeen(shelf.seenOnce, shape)) return undefined
    const answers = known?.rowCount === rowCount ? known : { values: new Float64Array(rowCount), rowCount, seen: -1 }
    shelf.byShape.delete(shape)
    shelf.byShape.set(shape, answers)
    if (shelf.byShape.size > MAX_SHAPES) shelf.byShape.delete(shelf.byShape.keys().next().value ?? '')
    this.#refresh(answers, ask)
    return answers.values
  }

  #shelfOf(owner: object): Shelf {
    let shelf = this.#shelves.get(owner)
    if (shelf === undefined) this.#shelves.set(owner, (shelf = { byShape: new Map(), seenOnce: new Set() }))
    return shelf
  }

  #refresh(answers: Answers, ask: RowValueFunction): void {
    const { count } = this.#log
    if (answers.seen === count) return
    const changed = answers.seen < 0 ? undefined : this.#log.since(answers.seen)
    const isFew = changed !== undefined && changed.length * 2 < answers.rowCount
    const rows = isFew ? changed : this.#allRows(answers.rowCount)
    // Were the question to fail half way, everything would be asked again.
    answers.seen = -1
    const found = this.#scratch.takeFloats(rows.length)
    ask({ rows, count: rows.length }, found)
    for (let i = 0, { length } = rows; i < length; i++) answers.values[rows[i] ?? 0] = found[i] ?? 0
    this.#scratch.giveBack(found)
    answers.seen = count
  }

  #allRows(count: number): Int32Array {
    if (this.#identity.length < count) this.#identity = Int32Array.from({ length: count }, (_, row) => row)
    return this.#identity.subarray(0, count)
  }
}

/** Says whether the shape was asked for before, and remembers it. */
function wasSeen(seenOnce: Set<string>, shape: string): boolean {
  if (seenOnce.delete(shape)) return true
  if (seenOnce.size >= MAX_SEEN) seenOnce.delete(seenOnce.values().next().value ?? '')
  seenOnce.add(shape)
  return false
}
