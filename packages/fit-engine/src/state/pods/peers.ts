import type { Pod } from '@berth/types'
import { labelOf, type Labels } from '../../selectors/label-requirement.ts'

/** Label keys come from selectors: kins are sorted by so many of them. */
const MAX_SHELVES = 8

/** What is asked of pods. */
export interface PodLabelQuery {
  readonly matches: (namespace: string, labels: Labels) => boolean
  /** A label, key and value, without which no pod is selected: spares asking the others. */
  readonly requiredLabel: readonly [string, string] | undefined
  readonly includesTerminating: boolean
}

/** Pods with the same namespace and labels: no selector tells them apart. Rows stand there once for each pod. */
interface Kin {
  readonly key: string
  readonly namespace: string
  readonly labels: Labels
  readonly rows: number[]
  readonly terminatingRows: number[]
}

interface Peer {
  readonly pod: Pod
  readonly key: string
  readonly isTerminating: boolean
}

const noLabels: Labels = {}
const noPeers: readonly Peer[] = []
const noPods: readonly Pod[] = []

function labelsOf({ metadata }: Pod): Labels {
  return metadata.labels ?? noLabels
}

function kinKey(pod: Pod): string {
  const labels = labelsOf(pod)
  const parts = [pod.metadata.namespace ?? '']
  for (const key of Object.keys(labels).toSorted()) parts.push(key, labels[key] ?? '')
  return parts.join('\0')
}

function takeOut(rows: number[], row: number): void {
  const index = rows.indexOf(row)
  const last = rows.pop()
  if (index >= 0 && index < rows.length && last !== undefined) rows[index] = last
}

function putOn(shelf: Map<string, Set<Kin>>, label: string, kin: Kin): void {
  const value = labelOf(kin.labels, label)
  if (value === undefined) return
  const kins = shelf.get(value)
  if (kins === undefined) shelf.set(value, new Set([kin]))
  else kins.add(kin)
}

function takeOff(shelf: Map<string, Set<Kin>>, label: string, kin: Kin): void {
  const value = labelOf(kin.labels, label) ?? ''
  const kins = shelf.get(value)
  kins?.delete(kin)
  if (kins?.size === 0) shelf.delete(value)
}

/**
 * The pods on each row, grouped so that a selector is asked once for many of them. Nobody tells it of changes: it
 * compares the rows' pod lists, which are never changed in place, when it is asked. Copies share everything until one
 * of them changes it.
 */
export class PodLabelIndex {
  #lists: (readonly Pod[])[] = []
  #peers: (readonly Peer[])[] = []
  #kins = new Map<string, Kin>()
  #isShared = false
  #seen = -1
  /** Label key -> value -> kins with that label, for the keys that were asked for lately. */
  #shelves = new Map<string, Map<string, Set<Kin>>>()

  /** Takes notice of pods that changed, when `changes` did. To be called before {@link PodLabelIndex.visitRows}. */
  refresh(lists: readonly (readonly Pod[] | undefined)[], changes: number): void {
    if (this.#seen === changes) return
    const rowCount = Math.max(lists.length, this.#lists.length)
    for (let row = 0; row < rowCount; row++) {
      const list = lists[row] ?? noPods
      if (this.#lists[row] !== list) this.#replace(row, list)
    }
    // Last: what was not finished is begun again.
    this.#seen = changes
  }

  /** Calls `visitor` with the row of every pod that the query selects, as of the last refresh. */
  visitRows({ matches: selects, requiredLabel: anchor, includesTerminating: withTerminating }: PodLabelQuery, visitor: (row: number) => void): void {
    const kins = anchor === undefined ? this.#kins.values() : (this.#shelf(anchor[0]).get(anchor[1]) ?? [])
    for (const { namespace, labels, rows, terminatingRows } of kins) {
      if (!selects(namespace, labels)) continue
      for (const row of rows) visitor(row)
      if (withTerminating) for (const row of terminatingRows) visitor(row)
    }
  }

  copy(): PodLabelIndex {
    const copy = new PodLabelIndex()
    copy.#lists = this.#lists
    copy.#peers = this.#peers
    copy.#kins = this.#kins
    copy.#seen = this.#seen
    copy.#isShared = true
    this.#isShared = true
    return copy
  }

  #replace(row: number, list: readonly Pod[]): void {
    this.#own()
    const left = new Map((this.#peers[row] ?? noPeers).map((peer) => [peer.pod, peer]))
    // All keys first: labels that cannot be read leave the row as it was.
    const keys = list.map((pod) => left.get(pod)?.key ?? kinKey(pod))
    const peers = list.map((pod, i) => {
      const known = left.get(pod)
      left.delete(pod)
      return known ?? this.#join(pod, keys[i] ?? '', row)
    })
    for (const { key, isTerminating } of left.values()) this.#leave(key, row, isTerminating)
    this.#lists[row] = list
    this.#peers[row] = peers.length === 0 ? noPeers : peers
  }

  #join(pod: Pod, wanted: string, row: number): Peer {
    let kin = this.#kins.get(wanted)
    if (kin === undefined) {
      const namespace = pod.metadata.namespace ?? ''
      kin = { key: wanted, namespace, labels: labelsOf(pod), rows: [], terminatingRows: [] }
      this.#kins.set(wanted, kin)
      for (const [label, shelf] of this.#shelves) putOn(shelf, label, kin)
    }
    const isTerminating = pod.metadata.deletionTimestamp != null
    const rows = isTerminating ? kin.terminatingRows : kin.rows
    rows.push(row)
    return { pod, key: kin.key, isTerminating }
  }

  #leave(key: string, row: number, isTerminating: boolean): void {
    const kin = this.#kins.get(key)
    if (kin === undefined) return
    takeOut(isTerminating ? kin.terminatingRows : kin.rows, row)
    if (kin.rows.length > 0 || kin.terminatingRows.length > 0) return
    this.#kins.delete(key)
    for (const [label, shelf] of this.#shelves) takeOff(shelf, label, kin)
  }

  #shelf(label: string): Map<string, Set<Kin>> {
    let shelf = this.#shelves.get(label)
    if (shelf === undefined) {
      shelf = new Map()
      for (const kin of this.#kins.values()) putOn(shelf, label, kin)
    }
    this.#shelves.delete(label)
    this.#shelves.set(label, shelf)
    if (this.#shelves.size > MAX_SHELVES) this.#shelves.delete(this.#shelves.keys().next().value ?? '')
    return shelf
  }

  #own(): void {
    if (!this.#isShared) return
    this.#isShared = false
    this.#shelves = new Map()
    this.#lists = [...this.#lists]
    this.#peers = [...this.#peers]
    const copied = (kin: Kin): Kin => ({ ...kin, rows: [...kin.rows], terminatingRows: [...kin.terminatingRows] })
    this.#kins = new Map(Array.from(this.#kins, ([key, kin]) => [key, copied(kin)]))
  }
}
