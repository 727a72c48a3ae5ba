import type { StatusCode } from '@berth/types'
import type { EngineFilterOutput } from './engine-plugin.ts'

const noReasons: readonly string[] = []
const CODES_PER_WORD = 4
const LOOKS_BACK = 8

function isAnySet(words: Int32Array, count: number): boolean {
  for (let i = 0; i < count; i++) if (words[i] !== 0) return true
  return false
}

/** Collects what one filter says of the candidates of one call. */
export class FilterSink implements EngineFilterOutput {
  readonly codes: Uint8Array
  /** The same bytes, four at a time. */
  readonly #words: Int32Array
  #usedWords = 0
  /** By candidate a position in `lists`; made when the first candidate is rejected. */
  #listIndexes: Int32Array | undefined
  readonly #lists: (readonly string[])[] = [noReasons]

  constructor(capacity: number) {
    const buffer = new ArrayBuffer(Math.ceil(capacity / CODES_PER_WORD) * CODES_PER_WORD)
    this.codes = new Uint8Array(buffer)
    this.#words = new Int32Array(buffer)
  }

  get capacity(): number {
    return this.codes.length
  }

  /** Starts a call with so many candidates, every one of them Success. */
  start(count: number): void {
    this.#usedWords = Math.ceil(count / CODES_PER_WORD)
    this.#words.fill(0, 0, this.#usedWords)
    this.#lists.length = 1
    // A filter may write codes alone; it must not find the reasons of the one before it.
    this.#listIndexes?.fill(0, 0, count)
  }

  reject(i: number, code: StatusCode, ...reasons: readonly string[]): void {
    this.rejectShared(i, code, reasons)
  }

  rejectShared(i: number, code: StatusCode, reasons: readonly string[]): void {
    this.rejectListed(i, code, this.listed(reasons))
  }

  listed(reasons: readonly string[]): number {
    // Filters share lists, and neighbours tend to have the same: the newest few are worth a look, no more.
    const lists = this.#lists
    for (let index = lists.length - 1, tries = LOOKS_BACK; index > 0 && tries > 0; index--, tries--) {
      if (lists[index] === reasons) return index
    }
    return lists.push(reasons) - 1
  }

  rejectListed(i: number, code: StatusCode, list: number): void {
    this.codes[i] = code
    this.#listIndexes ??= new Int32Array(this.codes.length)
    this.#listIndexes[i] = list
  }

  /** Which list of reasons candidate `i` has; only of use for comparing, within one call. */
  listOf(i: number): number {
    return this.#listIndexes?.[i] ?? 0
  }

  /** Why candidate `i` was rejected. */
  reasonsOf(i: number): readonly string[] {
    return this.#lists[this.listOf(i)] ?? noReasons
  }

  /** Whether any candidate is not Success. */
  get hasRejected(): boolean {
    return isAnySet(this.#words, this.#usedWords)
  }
}
