import type { Node } from '@berth/types'

interface ImageState {
  /** What was heard first of those that hold it, as kube-scheduler keeps it. */
  readonly size: number
  readonly rows: number[]
}

/** A list from whoever wrote the node; what is none is empty, lest a node be half known. */
function listOf<T>(list: readonly T[] | null | undefined): readonly T[] {
  return Array.isArray(list) ? list : []
}

function namesOf(node: Node | undefined): ReadonlyMap<string, number> {
  const names = new Map<string, number>()
  for (const image of listOf(node?.status?.images)) {
    for (const name of listOf(image?.names)) if (!names.has(name)) names.set(name, image.sizeBytes ?? 0)
  }
  return names
}

/** Which rows hold which container image (v1.36, `backend/cache/cache.go` addNodeImageStates). */
export class ImageIndex {
  #states = new Map<string, ImageState>()

  /** Replaces what is known of the row's images. */
  update(row: number, old: Node | undefined, node: Node | undefined): void {
    const before = namesOf(old)
    const after = namesOf(node)
    if (this.#isSame(before, after)) return
    for (const name of before.keys()) this.#remove(name, row)
    for (const [name, size] of after) {
      const state = this.#states.get(name)
      if (state === undefined) this.#states.set(name, { size, rows: [row] })
      else state.rows.push(row)
    }
  }

  /** Undefined when no node has the image. */
  find(name: string): { readonly size: number; readonly rows: readonly number[] } | undefined {
    return this.#states.get(name)
  }

  copy(): ImageIndex {
    const copy = new ImageIndex()
    for (const [name, { size, rows }] of this.#states) copy.#states.set(name, { size, rows: [...rows] })
    return copy
  }

  /** Replacing the one by the other would change nothing: an image that one node holds has the size that it says. */
  #isSame(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): boolean {
    if (before.size !== after.size) return false
    for (const [name, size] of after) {
      const state = before.has(name) ? this.#states.get(name) : undefined
      if (state === undefined || (state.size !== size && state.rows.length === 1)) return false
    }
    return true
  }

  #remove(name: string, row: number): void {
    const state = this.#states.get(name)
    if (state === undefined) return
    const index = state.rows.indexOf(row)
    const last = state.rows.pop()
    if (index < state.rows.length && last !== undefined) state.rows[index] = last
    if (state.rows.length === 0) this.#states.delete(name)
  }
}
