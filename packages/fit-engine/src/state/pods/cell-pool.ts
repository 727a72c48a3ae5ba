import type { Amount } from '../resources/amount.ts'

/** Slots; a power of two. */
const SIZE = 1024

/** Mixes the amounts; the same for equal ones, and that is all that is asked of it. */
function slotOf(cells: readonly Amount[]): number {
  let hash = cells.length
  for (const cell of cells) {
    const amount = Number(cell)
    hash = (Math.imul(hash, 31) + (amount | 0) + ((amount / 0x1_0000_0000) | 0)) | 0
  }
  return (hash ^ (hash >>> 15)) & (SIZE - 1)
}

function isSame(a: readonly Amount[], b: readonly Amount[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/**
 * Lets pods that take the same share one list of it: most pods come from a template. It holds the lists that came
 * last, so that it is never large; a list that it has let go stays with the pods that have it.
 */
export class RequestPool {
  readonly #slots: (readonly Amount[] | undefined)[] = []

  /** The list itself or an equal one that came before. */
  intern(cells: readonly Amount[]): readonly Amount[] {
    const slot = slotOf(cells)
    const known = this.#slots[slot]
    if (known !== undefined && isSame(known, cells)) return known
    this.#slots[slot] = cells
    return cells
  }
}
