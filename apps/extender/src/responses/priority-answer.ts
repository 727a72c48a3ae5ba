import type { HostPriority } from '@berth/types'
import type { JsonBytes } from './json-bytes.ts'

/** The response of a prioritize call: a score for each node, in the order of the call. */
export class PriorityAnswer {
  readonly #names: readonly string[]
  readonly #scores: ArrayLike<number>

  /** @param scores - The score of each name, a whole number. */
  constructor(names: readonly string[], scores: ArrayLike<number>) {
    this.#names = names
    this.#scores = scores
  }

  /** Returns the response as kube-scheduler reads it. */
  toJSON(): readonly HostPriority[] {
    return this.#names.map((Host, i) => ({ Host, Score: this.#scores[i] ?? 0 }))
  }

  writeTo(bytes: JsonBytes): void {
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
