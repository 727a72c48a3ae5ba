import type { Pod } from '@berth/types'

const nobody: readonly Pod[] = []
/** In lists up to that length a pod is taken out at once. */
const SHORT = 128

/**
 * The pods on each row. Readers get lists that are never changed in place, so that they and copies may keep them; a
 * list is made when somebody reads, so that thousands of pods may come to one row, unread, without a copy for each.
 */
export class PodLists {
  /** What readers got, until a pod comes or goes. */
  #read: (readonly Pod[] | undefined)[] = []
  /** Ours alone: rows whose list nobody has read since its last change. */
  #own: (Pod[] | undefined)[] = []
  /** Of long lists in `#own`: pods that left and are still in them. */
  #gone = new Map<number, Set<Pod>>()
  #touched = new Set<number>()
  #changes = 0

  /** Grows with every change. */
  get changes(): number {
    return this.#changes
  }

  podsOn(row: number): readonly Pod[] {
    const read = this.#read[row]
    if (read !== undefined) return read
    const own = this.#swept(row)
    const list = own.length === 0 ? nobody : own
    this.#settle(row, list)
    return list
  }

  /** The lists of all rows, up to the highest that ever had a pod. */
  byRow(): readonly (readonly Pod[] | undefined)[] {
    for (const row of this.#touched) this.podsOn(row)
    return this.#read
  }

  isEmpty(row: number): boolean {
    const { length } = this.#read[row] ?? this.#own[row] ?? nobody
    return length === (this.#gone.get(row)?.size ?? 0)
  }

  add(row: number, pod: Pod): void {
    const own = this.#change(row)
    if (this.#gone.get(row)?.has(pod) === true) this.#swept(row).push(pod)
    else own.push(pod)
  }

  /** Takes the very object away, which is there once. */
  remove(row: number, pod: Pod): void {
    const own = this.#change(row)
    if (own.length <= SHORT && !this.#gone.has(row)) {
      const index = own.lastIndexOf(pod)
      if (index >= 0) own.splice(index, 1)
      return
    }
    let gone = this.#gone.get(row)
    if (gone === undefined) this.#gone.set(row, (gone = new Set()))
    gone.add(pod)
    if (gone.size * 2 > own.length) this.#swept(row)
  }

  /** Replaces the list of a row, which nobody must change afterwards. */
  replace(row: number, pods: readonly Pod[]): void {
    this.#changes += 1
    this.#settle(row, pods)
  }

  copy(): PodLists {
    const copy = new PodLists()
    copy.#read = [...this.byRow()]
    copy.#changes = this.#changes
    return copy
  }

  /** The own list of the row, without those that left. */
  #swept(row: number): Pod[] {
    const own = this.#own[row] ?? []
    const gone = this.#gone.get(row)
    if (gone === undefined) return own
    this.#gone.delete(row)
    const rest = own.filter((pod) => !gone.has(pod))
    this.#own[row] = rest
    return rest
  }

  /** From now on the list belongs to its readers. */
  #settle(row: number, list: readonly Pod[]): void {
    this.#own[row] = undefined
    this.#gone.delete(row)
    this.#read[row] = list
    this.#touched.delete(row)
  }

  #change(row: number): Pod[] {
    this.#changes += 1
    const own = (this.#own[row] ??= [...(this.#read[row] ?? nobody)])
    this.#read[row] = undefined
    this.#touched.add(row)
    return own
  }
}
