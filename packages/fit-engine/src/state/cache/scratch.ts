/** Rounds up, so that a growing cluster does not make a new array for every node. */
const STEP = 1024

/**
 * Arrays for the length of one call, used again by the next one: a decision over many nodes would otherwise leave
 * hundreds of kilobytes to the garbage collector.
 */
export class Scratch {
  readonly #floats: Float64Array[] = []
  readonly #ints: Int32Array[] = []

  /** Lends an array whose first `count` values are 0; it is longer as a rule. */
  takeFloats(count: number): Float64Array {
    const free = this.#floats.pop()
    return free === undefined || free.length < count ? new Float64Array(count + STEP) : free.fill(0, 0, count)
  }

  /** Lends an array whose first `count` values are 0; it is longer as a rule. */
  takeInts(count: number): Int32Array {
    const free = this.#ints.pop()
    return free === undefined || free.length < count ? new Int32Array(count + STEP) : free.fill(0, 0, count)
  }

  /** Takes an array back; one that is lost, because a plugin threw, is made again. */
  giveBack(values: Float64Array | Int32Array): void {
    if (values instanceof Float64Array) this.#floats.push(values)
    else this.#ints.push(values)
  }
}
