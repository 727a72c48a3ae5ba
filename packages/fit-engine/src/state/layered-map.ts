/** The top layer is merged into a new base once it has this many entries and a quarter of the base's size. */
const MIN_MERGE = 1024
/** Deleted entries are swept out once there are this many and they are a quarter of the base. */
const MIN_SWEEP = 1024

/**
 * A map with cheap copies. A copy shares the base layer with the original and keeps its own changes in a top layer, so
 * that copying costs only the size of the top layer. Values are never undefined.
 */
export class LayeredMap<V extends object> {
  /**
   * A deleted entry stays in the map as undefined for a while. V8 keeps every deleted entry in its hash chain until it
   * rebuilds the table, so that adding and deleting one key thousands of times would become slow.
   */
  #base: Map<string, V | undefined> = new Map()
  #deleted = 0
  /** Whether a copy may use the same base; changes then go to the top layer. */
  #isShared = false
  #top: Map<string, V | undefined> = new Map()

  get(key: string): V | undefined {
    return this.#top.has(key) ? this.#top.get(key) : this.#base.get(key)
  }

  set(key: string, value: V): void {
    if (this.#isShared) this.#change(key, value)
    else {
      if (this.#deleted > 0 && this.#base.get(key) === undefined && this.#base.has(key)) this.#deleted -= 1
      this.#base.set(key, value)
    }
  }

  delete(key: string): void {
    if (this.#isShared) this.#change(key, undefined)
    else if (this.#base.get(key) !== undefined) {
      this.#base.set(key, undefined)
      this.#deleted += 1
      if (this.#deleted >= MIN_SWEEP && this.#deleted * 4 >= this.#base.size) this.#sweep()
    }
  }

  *values(): IterableIterator<V> {
    for (const [key, value] of this.#base) if (value !== undefined && !this.#top.has(key)) yield value
    for (const value of this.#top.values()) if (value !== undefined) yield value
  }

  copy(): LayeredMap<V> {
    const copy = new LayeredMap<V>()
    this.#isShared = true
    copy.#isShared = true
    copy.#base = this.#base
    copy.#deleted = this.#deleted
    copy.#top = new Map(this.#top)
    return copy
  }

  #change(key: string, value: V | undefined): void {
    this.#top.set(key, value)
    if (this.#top.size < MIN_MERGE || this.#top.size * 4 < this.#base.size) return
    const merged = new Map<string, V>()
    for (const [known, entry] of this.#base) {
      if (entry !== undefined && !this.#top.has(known)) merged.set(known, entry)
    }
    for (const [changed, entry] of this.#top) if (entry !== undefined) merged.set(changed, entry)
    this.#base = merged
    this.#deleted = 0
    this.#top = new Map()
    this.#isShared = false
  }

  #sweep(): void {
    const kept = new Map<string, V>()
    for (const [key, value] of this.#base) if (value !== undefined) kept.set(key, value)
    this.#base = kept
    this.#deleted = 0
  }
}
