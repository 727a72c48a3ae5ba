import type { Pod } from '@berth/types'
import type { Labels } from '../../selectors/label-requirement.ts'
import { labelGroupKey, LabelGroups } from './label-groups.ts'

/** A query for pods by namespace and labels. */
export interface PodLabelQuery {
  readonly matches: (namespace: string, labels: Labels) => boolean
  /** A label (key and value) that every matching pod has. Only the groups with this label are tested. */
  readonly requiredLabel: readonly [key: string, value: string] | undefined
  readonly includesTerminating: boolean
}

/** A pod as it was added to its group. */
interface IndexedPod {
  readonly pod: Pod
  readonly groupKey: string
  readonly isTerminating: boolean
}

const noIndexedPods: readonly IndexedPod[] = []
const noPods: readonly Pod[] = []

/**
 * Indexes the pods on each node by namespace and label set, so that a selector is evaluated once per label set instead
 * of once per pod. The index refreshes itself lazily: it compares each node's immutable pod list with the one it saw
 * last. Forks share data until one side changes (copy on write).
 */
export class PodLabelIndex {
  /** By row: the pod list at the last refresh. */
  #lists: (readonly Pod[])[] = []
  /** By row: the pods of that list, as they were indexed. */
  #indexed: (readonly IndexedPod[])[] = []
  #groups = new LabelGroups()
  #isShared = false
  /** The change count at the last complete refresh. */
  #seenChanges = -1

  /**
   * Indexes the pods that changed since the last call. Call it before {@link PodLabelIndex.visitRows}.
   *
   * @param lists - Pod lists by row, never changed in place.
   * @param changes - Change count of the lists: an unchanged count means unchanged lists.
   */
  refresh(lists: readonly (readonly Pod[] | undefined)[], changes: number): void {
    if (this.#seenChanges === changes) return
    const rowCount = Math.max(lists.length, this.#lists.length)
    for (let row = 0; row < rowCount; row++) {
      const list = lists[row] ?? noPods
      if (this.#lists[row] !== list) this.#reindexRow(row, list)
    }
    // Set last: after a failure, the next call resumes with the rows that still differ.
    this.#seenChanges = changes
  }

  /** Calls `visitor` with the row of every pod that matched the query at the last refresh, once for each pod. */
  visitRows({ matches, requiredLabel, includesTerminating }: PodLabelQuery, visitor: (row: number) => void): void {
    const groups = requiredLabel === undefined ? this.#groups.all() : this.#groups.withLabel(...requiredLabel)
    for (const { namespace, labels, rows, terminatingRows } of groups) {
      if (!matches(namespace, labels)) continue
      for (const row of rows) visitor(row)
      if (includesTerminating) for (const row of terminatingRows) visitor(row)
    }
  }

  copy(): PodLabelIndex {
    const copy = new PodLabelIndex()
    copy.#lists = this.#lists
    copy.#indexed = this.#indexed
    copy.#groups = this.#groups
    copy.#seenChanges = this.#seenChanges
    copy.#isShared = true
    this.#isShared = true
    return copy
  }

  #reindexRow(row: number, list: readonly Pod[]): void {
    this.#unshare()
    const removed = new Map((this.#indexed[row] ?? noIndexedPods).map((indexed) => [indexed.pod, indexed]))
    // All keys are computed before the first change: labels that cannot be read leave the row as it was.
    const groupKeys = list.map((pod) => removed.get(pod)?.groupKey ?? labelGroupKey(pod))
    const indexed = list.map((pod, i) => {
      const known = removed.get(pod)
      removed.delete(pod)
      return known ?? this.#addToGroup(pod, groupKeys[i] ?? '', row)
    })
    for (const { groupKey, isTerminating } of removed.values()) this.#groups.remove(groupKey, row, isTerminating)
    this.#lists[row] = list
    this.#indexed[row] = indexed.length === 0 ? noIndexedPods : indexed
  }

  #addToGroup(pod: Pod, groupKey: string, row: number): IndexedPod {
    const isTerminating = pod.metadata.deletionTimestamp != null
    this.#groups.add(groupKey, pod, row, isTerminating)
    return { pod, groupKey, isTerminating }
  }

  #unshare(): void {
    if (!this.#isShared) return
    this.#isShared = false
    this.#lists = [...this.#lists]
    this.#indexed = [...this.#indexed]
    this.#groups = this.#groups.copy()
  }
}
