import type { Node } from '@berth/types'

interface ImageState {
  /** The size that was heard of first, as kube-scheduler keeps it. */
  readonly size: number
  readonly rows: number[]
}

function namesOf(node: Node | undefined): ReadonlyMap<string, number> {
  const names = new Map<string, number>()
  for (const image of node?.status?.images ?? []) {
    for (const name of image.names ?? []) if (!names.has(name)) names.set(name, image.sizeBytes ?? 0)
  }
  return names
}

function isSame(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  return a.size === b.size && a.keys().every((name) => b.has(name))
}

/** Which rows hold which container image (v1.36, `backend/cache/cache.go` addNodeImageStates). */
export class ImageIndex {
  #states = new Map<string, ImageState>()

  /** Replaces what is known of the row's images. */
  update(row: number, old: Node | undefined, node: Node | undefined): void {
    const before = namesOf(old)
    const after = namesOf(node)
    if (isSame(before, after)) return
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

  #remove(name: string, row: number): void {
    const state = this.#states.get(name)
    if (state === undefined) return
    const index = state.rows.indexOf(row)
    const last = state.rows.pop()
    if (index < state.rows.length && last !== undefined) state.rows[index] = last
    if (state.rows.length === 0) this.#states.delete(name)
  }
}
