/** Below this many changes they are kept beside the shared part. */
const MIN_MERGE = 1024

/**
 * A map whose copies share what they have in common: copying takes no time, whatever the size, and each copy pays
 * for its own changes only. Entries are never undefined.
 */
export class LayeredMap<V extends object> {
  #base: Map<string, V> = new Map()
  /** The base may be in use by a copy: changes go to the top layer. */
  #isShared = false
  #top: Map<string, V | undefined> = new Map()

  get(key: string): V | undefined {
    return this.#top.has(key) ? this.#top.get(key) : this.#base.get(key)
  }

  set(key: string, value: V): void {
    if (this.#isShared) this.#change(key, value)
    else this.#base.set(key, value)
  }

  delete(key: string): void {
    if (this.#isShared) this.#change(key, undefined)
    else this.#base.delete(key)
  }

  *values(): IterableIterator<V> {
    for (const [key, value] of this.#base) if (!this.#top.has(key)) yield value
    for (const value of this.#top.values()) if (value !== undefined) yield value
  }

  copy(): LayeredMap<V> {
    const copy = new LayeredMap<V>()
    this.#isShared = true
    copy.#isShared = true
    copy.#base = this.#base
    copy.#top = new Map(this.#top)
    return copy
  }

  #change(key: string, value: V | undefined): void {
    this.#top.set(key, value)
    if (this.#top.size < MIN_MERGE || this.#top.size * 4 < this.#base.size) return
    const merged = new Map(this.#base)
    for (const [changed, entry] of this.#top) {
      if (entry === undefined) merged.delete(changed)
      else merged.set(changed, entry)
    }
    this.#base = merged
    this.#top = new Map()
    this.#isShared = false
  }
}
