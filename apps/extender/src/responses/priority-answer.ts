import type { HostPriority } from '@berth/types'
import type { JsonBytes } from './json-bytes.ts'

/** The response of a prioritize call: a score for each node, in the order of the call. */
export class PriorityAnswer {
  readonly #names: readonly string[]
  readonly #scores: ArrayLike<number>
  readonly #hasPlainNames: boolean

  /**
   * @param scores - The score of each name, a whole number.
   * @param hasPlainNames - Whether JSON escapes nothing in the names.
   */
  constructor(names: readonly string[], scores: ArrayLike<number>, hasPlainNames = false) {
    this.#names = names
    this.#scores = scores
    this.#hasPlainNames = hasPlainNames
  }

  /** Returns the response as kube-scheduler reads it. */
  toJSON(): readonly HostPriority[] {
    return this.#names.map((Host, i) => ({ Host, Score: this.#scores[i] ?? 0 }))
  }

  writeTo(bytes: JsonBytes): void {
    if (this.#hasPlainNames) this.#writePlain(bytes)
    else this.#write(bytes)
  }

  #writePlain(bytes: JsonBytes): void {
    const names = this.#names
    const last = names.length - 1
    if (last < 0) {
      bytes.raw('[]')
      return
    }
    const between: string[] = []
    bytes.ascii('[{"Host":"')
    for (let i = 0; i < last; i++) {
      const score = this.#scores[i] ?? 0
      bytes.ascii(names[i] ?? '')
      bytes.ascii((between[score] ??= `","Score":${score}},{"Host":"`))
    }
    bytes.ascii(`${names[last]}","Score":${this.#scores[last] ?? 0}}]`)
  }

  #write(bytes: JsonBytes): void {
    const separators = new Map<number, Buffer>()
    const endOf = (score: number): Buffer => {
      const known = separators.get(score)
      if (known !== undefined) return known
      const end = Buffer.from(`,"Score":${score}}`)
      separators.set(score, end)
      return end
    }
    bytes.raw('[')
    for (let i = 0; i < this.#names.length; i++) {
      const name = this.#names[i] ?? ''
      bytes.encoded(i === 0 ? FIRST_HOST : NEXT_HOST)
      bytes.text(name)
      bytes.encoded(endOf(this.#scores[i] ?? 0))
    }
    bytes.raw(']')
  }
}

const FIRST_HOST = Buffer.from('{"Host":')
const NEXT_HOST = Buffer.from(',{"Host":')
