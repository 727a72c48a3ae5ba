/** More arrays of a kind are left to the garbage collector. */
const MAX_POOLED = 16
/** Spare capacity of a new array, so that a growing cluster does not need a new one for every node. */
const SPARE_CAPACITY = 1024

/**
 * A pool of typed arrays that are used during one call, or until a decision is released. Without it, a decision over many
 * nodes would leave hundreds of kilobytes to the garbage collector.
 */
export class Scratch {
  readonly #floats: Float64Array[] = []
  readonly #ints: Int32Array[] = []

  /** Returns an array whose first `count` values are 0; it is usually longer. */
  takeFloats(count: number): Float64Array {
    const free = this.#floats.pop()
    return free === undefined || free.length < count ? new Float64Array(count + SPARE_CAPACITY) : free.fill(0, 0, count)
  }

  /** Returns an array whose first `count` values are 0; it is usually longer. */
  takeInts(count: number): Int32Array {
    const free = this.#ints.pop()
    return free === undefined || free.length < count ? new Int32Array(count + SPARE_CAPACITY) : free.fill(0, 0, count)
  }

  /** Returns an array to the pool. An array that is lost because a plugin threw costs only a new allocation. */
  giveBack(values: Float64Array | Int32Array): void {
    if (values instanceof Float64Array) keep(this.#floats, values)
    else keep(this.#ints, values)
  }
}

function keep<T>(pool: T[], values: T): void {
  if (pool.length < MAX_POOLED) pool.push(values)
}
