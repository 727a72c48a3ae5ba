import type { Pod } from '@berth/types'

const noPods: readonly Pod[] = []
/** In a list up to this length, a pod is removed at once. */
const MAX_SHORT_LIST = 128

/**
 * The pods on each row. A published list is never changed in place, so readers and forks may keep it. A list is
 * published when it is read, so thousands of pods can be added to one row without a copy for each of them.
 */
export class PodLists {
  /** By row: the list that readers have, until a pod is added or removed. */
  #published: (readonly Pod[] | undefined)[] = []
  /** By row: the list that has changed since it was last read, which may be changed in place. */
  #drafts: (Pod[] | undefined)[] = []
  /** By row: pods that were removed from a long draft but are still in its array. */
  #removed = new Map<number, Set<Pod>>()
  /** Rows that have a draft. */
  #draftRows = new Set<number>()
  #changes = 0

  /** Number of changes so far. */
  get changes(): number {
    return this.#changes
  }

  podsOn(row: number): readonly Pod[] {
    const published = this.#published[row]
    if (published !== undefined) return published
    const draft = this.#compactDraft(row)
    const list = draft.length === 0 ? noPods : draft
    this.#publish(row, list)
    return list
  }

  /** Returns the lists of all rows, up to the highest row that ever had a pod. */
  byRow(): readonly (readonly Pod[] | undefined)[] {
    for (const row of this.#draftRows) this.podsOn(row)
    return this.#published
  }

  isEmpty(row: number): boolean {
    const { length } = this.#published[row] ?? this.#drafts[row] ?? noPods
    return length === (this.#removed.get(row)?.size ?? 0)
  }

  add(row: number, pod: Pod): void {
    const draft = this.#openDraft(row)
    if (this.#removed.get(row)?.has(pod) === true) this.#compactDraft(row).push(pod)
    else draft.push(pod)
  }

  /** Removes this very object, which is in the list once. */
  remove(row: number, pod: Pod): void {
    const draft = this.#openDraft(row)
    if (draft.length <= MAX_SHORT_LIST && !this.#removed.has(row)) {
      const index = draft.lastIndexOf(pod)
      if (index >= 0) draft.splice(index, 1)
      return
    }
    let removed = this.#removed.get(row)
    if (removed === undefined) this.#removed.set(row, (removed = new Set()))
    removed.add(pod)
    if (removed.size * 2 > draft.length) this.#compactDraft(row)
  }

  /** Replaces the list of a row. The caller must not change `pods` afterwards. */
  replace(row: number, pods: readonly Pod[]): void {
    this.#changes += 1
    this.#publish(row, pods)
  }

  copy(): PodLists {
    const copy = new PodLists()
    copy.#published = [...this.byRow()]
    copy.#changes = this.#changes
    return copy
  }

  /** Returns the row's draft after dropping the removed pods from its array. */
  #compactDraft(row: number): Pod[] {
    const draft = this.#drafts[row] ?? []
    const removed = this.#removed.get(row)
    if (removed === undefined) return draft
    this.#removed.delete(row)
    const rest = draft.filter((pod) => !removed.has(pod))
    this.#drafts[row] = rest
    return rest
  }

  #publish(row: number, list: readonly Pod[]): void {
    this.#drafts[row] = undefined
    this.#removed.delete(row)
    this.#published[row] = list
    this.#draftRows.delete(row)
  }

  #openDraft(row: number): Pod[] {
    this.#changes += 1
    const draft = (this.#drafts[row] ??= [...(this.#published[row] ?? noPods)])
    this.#published[row] = undefined
    this.#draftRows.add(row)
    return draft
  }
}
