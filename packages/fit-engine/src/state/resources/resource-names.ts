/** Ids of the resources that are always there. */
export const CPU = 0
export const MEMORY = 1
export const EPHEMERAL_STORAGE = 2
/** Allocatable is the allowed number of pods, requested the number of pods that count. */
export const PODS = 3
/** Scalar resources have ids from here on. */
export const FIRST_SCALAR = 4

const CORE_NAMES: readonly string[] = ['cpu', 'memory', 'ephemeral-storage', 'pods']

/** Resource name <-> small number, as long as somebody refers to the name; numbers are used again. */
export class ResourceNames {
  readonly #names: (string | undefined)[] = [...CORE_NAMES]
  readonly #references: number[] = CORE_NAMES.map(() => 1)
  readonly #free: number[] = []
  #ids: Map<string, number> = new Map(CORE_NAMES.map((name, id) => [name, id]))

  /** One above the highest id ever given. */
  get limit(): number {
    return this.#names.length
  }

  idOf(name: string): number | undefined {
    return this.#ids.get(name)
  }

  nameOf(id: number): string {
    return this.#names[id] ?? ''
  }

  /** Finds or makes the id and counts one more reference to it. */
  acquire(name: string): number {
    const known = this.#ids.get(name)
    if (known !== undefined) {
      this.retain(known)
      return known
    }
    const id = this.#free.pop() ?? this.#names.length
    this.#names[id] = name
    this.#references[id] = 1
    this.#ids.set(name, id)
    return id
  }

  retain(id: number): void {
    this.#references[id] = (this.#references[id] ?? 0) + 1
  }

  release(id: number): void {
    const left = (this.#references[id] ?? 0) - 1
    this.#references[id] = left
    if (left > 0) return
    this.#ids.delete(this.nameOf(id))
    this.#names[id] = undefined
    this.#free.push(id)
  }

  copy(): ResourceNames {
    const copy = new ResourceNames()
    copy.#names.splice(0, copy.#names.length, ...this.#names)
    copy.#references.splice(0, copy.#references.length, ...this.#references)
    copy.#free.push(...this.#free)
    copy.#ids = new Map(this.#ids)
    return copy
  }
}
