import type { Pod } from '@berth/types'
import type { Labels } from '../selectors/label-requirement.ts'

/** What is asked of pods by namespace and labels. */
export type KinQuery = (namespace: string, labels: Labels) => boolean

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

function kinKey({ metadata: { namespace = '', labels = noLabels } }: Pod): string {
  const parts = [namespace]
  for (const key of Object.keys(labels).toSorted()) parts.push(key, labels[key] ?? '')
  return parts.join('\0')
}

function takeOut(rows: number[], row: number): void {
  const index = rows.indexOf(row)
  const last = rows.pop()
  if (index >= 0 && index < rows.length && last !== undefined) rows[index] = last
}

/**
 * The pods on each row, grouped so that a selector is asked once for many of them. Nobody tells it of changes: it
 * compares the rows' pod lists, which are never changed in place, when it is asked. Copies share everything until one
 * of them changes it.
 */
export class Peers {
  #lists: (readonly Pod[])[] = []
  #peers: (readonly Peer[])[] = []
  #kins = new Map<string, Kin>()
  #isShared = false
  #seen = -1

  /** Takes notice of pods that changed, when `changes` did. To be called before {@link Peers.visit}. */
  refresh(lists: readonly (readonly Pod[])[], changes: number): void {
    if (this.#seen === changes) return
    this.#seen = changes
    const rowCount = Math.max(lists.length, this.#lists.length)
    for (let row = 0; row < rowCount; row++) {
      const list = lists[row] ?? noPods
      if (this.#lists[row] !== list) this.#replace(row, list)
    }
  }

  /** Calls `visitor` with the row of every pod that the query selects, as of the last refresh. */
  visit(query: KinQuery, options: { readonly withTerminating: boolean }, visitor: (row: number) => void): void {
    for (const { namespace, labels, rows, terminatingRows } of this.#kins.values()) {
      if (!query(namespace, labels)) continue
      for (const row of rows) visitor(row)
      if (options.withTerminating) for (const row of terminatingRows) visitor(row)
    }
  }

  copy(): Peers {
    const copy = new Peers()
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
    const peers = list.map((pod) => {
      const known = left.get(pod)
      left.delete(pod)
      return known ?? this.#join(pod, row)
    })
    for (const { key, isTerminating } of left.values()) this.#leave(key, row, isTerminating)
    this.#lists[row] = list
    this.#peers[row] = peers.length === 0 ? noPeers : peers
  }

  #join(pod: Pod, row: number): Peer {
    const wanted = kinKey(pod)
    let kin = this.#kins.get(wanted)
    if (kin === undefined) {
      const { namespace = '', labels = noLabels } = pod.metadata
      kin = { key: wanted, namespace, labels, rows: [], terminatingRows: [] }
      this.#kins.set(wanted, kin)
    }
    const isTerminating = pod.metadata.deletionTimestamp !== undefined
    const rows = isTerminating ? kin.terminatingRows : kin.rows
    rows.push(row)
    return { pod, key: kin.key, isTerminating }
  }

  #leave(key: string, row: number, isTerminating: boolean): void {
    const kin = this.#kins.get(key)
    if (kin === undefined) return
    takeOut(isTerminating ? kin.terminatingRows : kin.rows, row)
    if (kin.rows.length === 0 && kin.terminatingRows.length === 0) this.#kins.delete(key)
  }

  #own(): void {
    if (!this.#isShared) return
    this.#isShared = false
    this.#lists = [...this.#lists]
    this.#peers = [...this.#peers]
    const copied = (kin: Kin): Kin => ({ ...kin, rows: [...kin.rows], terminatingRows: [...kin.terminatingRows] })
    this.#kins = new Map(Array.from(this.#kins, ([key, kin]) => [key, copied(kin)]))
  }
}
