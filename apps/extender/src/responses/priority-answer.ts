import type { HostPriority } from '@berth/types'
import type { JsonBytes } from './json-bytes.ts'

/**
 * The response of a prioritize call: a score for each node, in the order of the call, or an empty list when all nodes have the same
 * score. kube-scheduler adds the scores to its own and counts a node that is not listed as 0, so equal scores change no rank
 * (v1.36, `prioritizeNodes`), and it takes longer to read 420 of them than to score the nodes.
 */
export class PriorityAnswer {
  /** The score of each name of the call, whole numbers. */
  readonly scores: ArrayLike<number>
  /** The names that the response lists. */
  readonly #listed: readonly string[]
  readonly #hasPlainNames: boolean

  /**
   * @param names - The names of the call.
   * @param scores - The score of each name, a whole number.
   * @param hasPlainNames - Whether JSON escapes nothing in the names.
   */
  constructor(names: readonly string[], scores: ArrayLike<number>, hasPlainNames = false) {
    this.scores = scores
    this.#listed = areAlike(scores) ? [] : names
    this.#hasPlainNames = hasPlainNames
  }

  /** Returns the response as kube-scheduler reads it. */
  toJSON(): readonly HostPriority[] {
    return this.#listed.map((Host, i) => ({ Host, Score: this.scores[i] ?? 0 }))
  }

  writeTo(bytes: JsonBytes): void {
    if (this.#listed.length === 0) bytes.raw('[]')
    else if (this.#hasPlainNames) this.#writePlain(bytes)
    else this.#write(bytes)
  }

  #writePlain(bytes: JsonBytes): void {
    const names = this.#listed
    const last = names.length - 1
    const between: string[] = []
    bytes.ascii('[{"Host":"')
    for (let i = 0; i < last; i++) {
      const score = this.scores[i] ?? 0
      bytes.ascii(names[i] ?? '')
      bytes.ascii((between[score] ??= `","Score":${score}},{"Host":"`))
    }
    bytes.ascii(`${names[last]}","Score":${this.scores[last] ?? 0}}]`)
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
    for (let i = 0; i < this.#listed.length; i++) {
      const name = this.#listed[i] ?? ''
      bytes.encoded(i === 0 ? FIRST_HOST : NEXT_HOST)
      bytes.text(name)
      bytes.encoded(endOf(this.scores[i] ?? 0))
    }
    bytes.raw(']')
  }
}

const FIRST_HOST = Buffer.from('{"Host":')
const NEXT_HOST = Buffer.from(',{"Host":')

function areAlike(scores: ArrayLike<number>): boolean {
  for (let i = 1; i < scores.length; i++) if (scores[i] !== scores[0]) return false
  return true
}
