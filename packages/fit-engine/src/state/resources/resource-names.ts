/** Ids of the resources that always exist. */
export const CPU = 0
export const MEMORY = 1
export const EPHEMERAL_STORAGE = 2
/** Its allocatable is the maximum number of pods, its requested amount the number of placed pods. */
export const PODS = 3
/** The first id of the scalar resources. */
export const FIRST_SCALAR = 4

const CORE_NAMES: readonly string[] = ['cpu', 'memory', 'ephemeral-storage', 'pods']

/**
 * Assigns a small integer, the id, to each resource name. Ids are reference-counted: an id is reused after its last
 * reference was released.
 */
export class ResourceNames {
  readonly #names: (string | undefined)[] = [...CORE_NAMES]
  readonly #referenceCounts: number[] = CORE_NAMES.map(() => 1)
  readonly #freeIds: number[] = []
  #ids: Map<string, number> = new Map(CORE_NAMES.map((name, id) => [name, id]))

  /** One more than the highest id ever assigned. */
  get limit(): number {
    return this.#names.length
  }

  idOf(name: string): number | undefined {
    return this.#ids.get(name)
  }

  nameOf(id: number): string {
    return this.#names[id] ?? ''
  }

  /** Returns the id of the name, assigning one if it has none, and adds a reference to it. */
  acquire(name: string): number {
    const known = this.#ids.get(name)
    if (known !== undefined) {
      this.retain(known)
      return known
    }
    const id = this.#freeIds.pop() ?? this.#names.length
    this.#names[id] = name
    this.#referenceCounts[id] = 1
    this.#ids.set(name, id)
    return id
  }

  retain(id: number): void {
    this.#referenceCounts[id] = (this.#referenceCounts[id] ?? 0) + 1
  }

  release(id: number): void {
    const left = (this.#referenceCounts[id] ?? 0) - 1
    this.#referenceCounts[id] = left
    if (left > 0) return
    this.#ids.delete(this.nameOf(id))
    this.#names[id] = undefined
    this.#freeIds.push(id)
  }

  copy(): ResourceNames {
    const copy = new ResourceNames()
    copy.#names.splice(0, copy.#names.length, ...this.#names)
    copy.#referenceCounts.splice(0, copy.#referenceCounts.length, ...this.#referenceCounts)
    copy.#freeIds.push(...this.#freeIds)
    copy.#ids = new Map(this.#ids)
    return copy
  }
}
