/** Below this many changes they are kept beside the shared part. */
const MIN_MERGE = 1024
/** So many entries that were deleted, and a quarter of all, are swept out together. */
const MIN_SWEEP = 1024

/**
 * A map whose copies share what they have in common: copying takes no time, whatever the size, and each copy pays
 * for its own changes only. Entries are never undefined.
 */
export class LayeredMap<V extends object> {
  /**
   * A deleted entry stays for a while, as undefined: a key that comes and goes thousands of times makes the engine's
   * own deletion slow, because its hash table keeps every one of them in a chain until it is made anew.
   */
  #base: Map<string, V | undefined> = new Map()
  #deleted = 0
  /** The base may be in use by a copy: changes go to the top layer. */
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
