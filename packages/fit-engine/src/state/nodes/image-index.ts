import type { Node } from '@berth/types'

/** An image that at least one node holds. */
export interface HeldImage {
  /** Bytes that the first node with the image reported, as kube-scheduler keeps it. */
  readonly size: number
  readonly rows: readonly number[]
}

interface ImageState extends HeldImage {
  readonly rows: number[]
}

/** Returns the list, or an empty one for anything else: a malformed node status must not fail half way. */
function listOrEmpty<T>(list: readonly T[] | null | undefined): readonly T[] {
  return Array.isArray(list) ? list : []
}

/** Returns the size of each image on the node, by image name. */
function imageSizes(node: Node | undefined): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>()
  for (const image of listOrEmpty(node?.status?.images)) {
    for (const name of listOrEmpty(image?.names)) if (!sizes.has(name)) sizes.set(name, image.sizeBytes ?? 0)
  }
  return sizes
}

/** Indexes the rows by the container images on their node (v1.36, `backend/cache/cache.go` addNodeImageStates). */
export class ImageIndex {
  #states = new Map<string, ImageState>()

  /** Replaces the images of `old`, the row's node so far, by those of `node`. */
  update(row: number, old: Node | undefined, node: Node | undefined): void {
    const before = imageSizes(old)
    const after = imageSizes(node)
    if (this.#isUpToDate(before, after)) return
    for (const name of before.keys()) this.#remove(name, row)
    for (const [name, size] of after) {
      const state = this.#states.get(name)
      if (state === undefined) this.#states.set(name, { size, rows: [row] })
      else state.rows.push(row)
    }
  }

  /** Returns the image, or undefined when no node has it. */
  find(name: string): HeldImage | undefined {
    return this.#states.get(name)
  }

  copy(): ImageIndex {
    const copy = new ImageIndex()
    for (const [name, { size, rows }] of this.#states) copy.#states.set(name, { size, rows: [...rows] })
    return copy
  }

  /**
   * Returns whether replacing `before` by `after` would change nothing. An image that only this node has takes the size
   * that this node reports, so a new size counts as a change.
   */
  #isUpToDate(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): boolean {
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
