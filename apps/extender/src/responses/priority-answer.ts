import type { HostPriority } from '@berth/types'
import type { JsonBytes } from './json-bytes.ts'

/** The response of a prioritize call: a score for each node, in the order of the call. */
export class PriorityAnswer {
  readonly #names: readonly string[]
  readonly #scoreOf: (name: string) => number

  /** @param scoreOf - Returns the score of a node, a whole number. */
  constructor(names: readonly string[], scoreOf: (name: string) => number) {
    this.#names = names
    this.#scoreOf = scoreOf
  }

  /** Returns the response as kube-scheduler reads it. */
  toJSON(): readonly HostPriority[] {
    return this.#names.map((Host) => ({ Host, Score: this.#scoreOf(Host) }))
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
      bytes.encoded(endOf(this.#scoreOf(name)))
    }
    bytes.raw(']')
  }
}

const FIRST_HOST = Buffer.from('{"Host":')
const NEXT_HOST = Buffer.from(',{"Host":')
