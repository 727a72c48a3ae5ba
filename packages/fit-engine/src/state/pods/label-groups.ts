import type { Pod } from '@berth/types'
import { labelOf, type Labels } from '../../selectors/label-requirement.ts'

/** The label keys come from users' selectors, so only the most recently used ones are indexed. */
const MAX_INDEXED_KEYS = 8

/** Pods with the same namespace and labels, which no selector can tell apart. A row appears once for each of its pods. */
export interface LabelGroup {
  readonly namespace: string
  readonly labels: Labels
  readonly rows: number[]
  readonly terminatingRows: number[]
}

/** Groups by the value they have for one label key. */
type LabelValueIndex = Map<string, Set<LabelGroup>>

const noGroups: readonly LabelGroup[] = []
const noLabels: Labels = {}

function labelsOf({ metadata }: Pod): Labels {
  return metadata.labels ?? noLabels
}

/** Returns the key of the group that the pod belongs to. Throws when the labels cannot be read. */
export function labelGroupKey(pod: Pod): string {
  const labels = labelsOf(pod)
  const parts = [pod.metadata.namespace ?? '']
  for (const key of Object.keys(labels).toSorted()) parts.push(key, labels[key] ?? '')
  return parts.join('\0')
}

function removeOne(rows: number[], row: number): void {
  const index = rows.indexOf(row)
  const last = rows.pop()
  if (index >= 0 && index < rows.length && last !== undefined) rows[index] = last
}

function addToIndex(labelValueIndex: LabelValueIndex, labelKey: string, group: LabelGroup): void {
  const value = labelOf(group.labels, labelKey)
  if (value === undefined) return
  const groups = labelValueIndex.get(value)
  if (groups === undefined) labelValueIndex.set(value, new Set([group]))
  else groups.add(group)
}

function removeFromIndex(labelValueIndex: LabelValueIndex, labelKey: string, group: LabelGroup): void {
  const value = labelOf(group.labels, labelKey) ?? ''
  const groups = labelValueIndex.get(value)
  groups?.delete(group)
  if (groups?.size === 0) labelValueIndex.delete(value)
}

/** Every label group that has a pod, with an index by label value for the label keys that were queried last. */
export class LabelGroups {
  readonly #groups = new Map<string, LabelGroup>()
  /** By label key, least recently used first. */
  readonly #labelValueIndexes = new Map<string, LabelValueIndex>()

  all(): Iterable<LabelGroup> {
    return this.#groups.values()
  }

  /** Returns the groups whose pods have the label. */
  withLabel(key: string, value: string): Iterable<LabelGroup> {
    return this.#labelValueIndex(key).get(value) ?? noGroups
  }

  /** Adds a pod on the row to the group with the key {@link labelGroupKey} of the pod. */
  add(groupKey: string, pod: Pod, row: number, isTerminating: boolean): void {
    const group = this.#groups.get(groupKey) ?? this.#createGroup(groupKey, pod)
    const rows = isTerminating ? group.terminatingRows : group.rows
    rows.push(row)
  }

  /** Removes one pod on the row from the group, and the group when it was its last pod. */
  remove(groupKey: string, row: number, isTerminating: boolean): void {
    const group = this.#groups.get(groupKey)
    if (group === undefined) return
    removeOne(isTerminating ? group.terminatingRows : group.rows, row)
    if (group.rows.length > 0 || group.terminatingRows.length > 0) return
    this.#groups.delete(groupKey)
    for (const [labelKey, index] of this.#labelValueIndexes) removeFromIndex(index, labelKey, group)
  }

  /** Copies the groups; the copy builds its own indexes. */
  copy(): LabelGroups {
    const copy = new LabelGroups()
    for (const [key, group] of this.#groups) {
      copy.#groups.set(key, { ...group, rows: [...group.rows], terminatingRows: [...group.terminatingRows] })
    }
    return copy
  }

  #createGroup(key: string, pod: Pod): LabelGroup {
    const namespace = pod.metadata.namespace ?? ''
    const group: LabelGroup = { namespace, labels: labelsOf(pod), rows: [], terminatingRows: [] }
    this.#groups.set(key, group)
    for (const [labelKey, index] of this.#labelValueIndexes) addToIndex(index, labelKey, group)
    return group
  }

  #labelValueIndex(labelKey: string): LabelValueIndex {
    const index = this.#labelValueIndexes.get(labelKey) ?? this.#buildIndex(labelKey)
    this.#labelValueIndexes.delete(labelKey)
    this.#labelValueIndexes.set(labelKey, index)
    if (this.#labelValueIndexes.size > MAX_INDEXED_KEYS) {
      this.#labelValueIndexes.delete(this.#labelValueIndexes.keys().next().value ?? '')
    }
    return index
  }

  #buildIndex(labelKey: string): LabelValueIndex {
    const index: LabelValueIndex = new Map()
    for (const group of this.#groups.values()) addToIndex(index, labelKey, group)
    return index
  }
}
