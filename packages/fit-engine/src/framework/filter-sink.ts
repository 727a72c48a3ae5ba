import type { StatusCode } from '@berth/types'
import type { EngineFilterOutput } from './engine-plugin.ts'

const noReasons: readonly string[] = []

/** Collects what one filter says of the candidates of one call. */
export class FilterSink implements EngineFilterOutput {
  readonly codes: Uint8Array
  readonly #reasons: (readonly string[] | undefined)[]
  /** How many candidates the call has. */
  #count = 0

  constructor(capacity: number) {
    this.codes = new Uint8Array(capacity)
    this.#reasons = Array.from({ length: capacity })
  }

  /** Starts a call with `count` candidates, all Success. */
  start(count: number): void {
    this.codes.fill(0, 0, count)
    this.#count = count
  }

  reject(i: number, code: StatusCode, ...reasons: readonly string[]): void {
    this.rejectShared(i, code, reasons)
  }

  rejectShared(i: number, code: StatusCode, reasons: readonly string[]): void {
    this.codes[i] = code
    this.#reasons[i] = reasons
  }

  /** Why candidate `i` was rejected. */
  reasonsOf(i: number): readonly string[] {
    return this.#reasons[i] ?? noReasons
  }

  get hasRejected(): boolean {
    for (let i = 0; i < this.#count; i++) if (this.codes[i] !== 0) return true
    return false
  }
}
