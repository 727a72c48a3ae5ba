import type { StatusCode } from '@berth/types'
import type { EngineFilterOutput } from './engine-plugin.ts'

const noReasons: readonly string[] = []
const CODES_PER_WORD = 4
const MAX_LOOKBACK = 8

function isAnySet(words: Int32Array, count: number): boolean {
  for (let i = 0; i < count; i++) if (words[i] !== 0) return true
  return false
}

/** Collects the statuses of the candidates of one filter call. */
export class FilterSink implements EngineFilterOutput {
  readonly #codes: Uint8Array
  /** The same bytes, read four at a time. */
  readonly #words: Int32Array
  #usedWords = 0
  /**
   * Whether the filter may have rejected a candidate: it called `reject` or asked for the codes. If not, as in most
   * calls, no code needs to be read.
   */
  #isTouched = false
  /** By candidate an index into `lists`; allocated when the first candidate is rejected. */
  #reasonsIds: Int32Array | undefined
  readonly #lists: (readonly string[])[] = [noReasons]

  constructor(capacity: number) {
    const buffer = new ArrayBuffer(Math.ceil(capacity / CODES_PER_WORD) * CODES_PER_WORD)
    this.#codes = new Uint8Array(buffer)
    this.#words = new Int32Array(buffer)
  }

  get capacity(): number {
    return this.#codes.length
  }

  get codes(): Uint8Array {
    // The caller may write to the array.
    this.#isTouched = true
    return this.#codes
  }

  /** Resets the sink for a call with `count` candidates, all of them Success. */
  start(count: number): void {
    this.#usedWords = Math.ceil(count / CODES_PER_WORD)
    this.#words.fill(0, 0, this.#usedWords)
    this.#lists.length = 1
    // A filter may write codes only; the reasons of the previous filter must not show up beside them.
    if (this.#isTouched) this.#reasonsIds?.fill(0)
    this.#isTouched = false
  }

  reject(i: number, code: StatusCode, ...reasons: readonly string[]): void {
    this.rejectShared(i, code, reasons)
  }

  rejectShared(i: number, code: StatusCode, reasons: readonly string[]): void {
    this.rejectRegistered(i, code, this.registerReasons(reasons))
  }

  registerReasons(reasons: readonly string[]): number {
    // Filters share lists, and adjacent candidates tend to have the same one: searching the latest few is enough.
    const lists = this.#lists
    for (let index = lists.length - 1, tries = MAX_LOOKBACK; index > 0 && tries > 0; index--, tries--) {
      if (lists[index] === reasons) return index
    }
    return lists.push(reasons) - 1
  }

  rejectRegistered(i: number, code: StatusCode, reasonsId: number): void {
    this.#isTouched = true
    this.#codes[i] = code
    this.#reasonsIds ??= new Int32Array(this.#codes.length)
    this.#reasonsIds[i] = reasonsId
  }

  /** Returns the id of the reasons of candidate `i`, which can be compared within one call. */
  reasonsIdOf(i: number): number {
    return this.#reasonsIds?.[i] ?? 0
  }

  /** Returns why candidate `i` was rejected. */
  reasonsOf(i: number): readonly string[] {
    return this.#lists[this.reasonsIdOf(i)] ?? noReasons
  }

  /** Whether a candidate is not Success. */
  get hasRejected(): boolean {
    return this.#isTouched && isAnySet(this.#words, this.#usedWords)
  }
}
