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
  withFloats<T>(count: number, use: (values: Float64Array) => T): T {
    const free = this.#floats.pop()
    const values = free === undefined || free.length < count ? new Float64Array(count + STEP) : free.fill(0, 0, count)
    const result = use(values)
    this.#floats.push(values)
    return result
  }

  /** Lends an array whose first `count` values are 0; it is longer as a rule. */
  withInts<T>(count: number, use: (values: Int32Array) => T): T {
    const free = this.#ints.pop()
    const values = free === undefined || free.length < count ? new Int32Array(count + STEP) : free.fill(0, 0, count)
    const result = use(values)
    this.#ints.push(values)
    return result
  }
}
