import type { Pod } from '@berth/types'
import type { Labels } from '../selectors/label-requirement.ts'

/** Above so many kins beyond twice those in use, the others are let go. */
const MIN_SWEEP = 1024

/** What is asked of pods by namespace and labels. */
export type KinQuery = (namespace: string, labels: Labels) => boolean

const noLabels: Labels = {}
const noPeers: readonly Peer[] = []
const noPods: readonly Pod[] = []

/** Pods with the same namespace and labels: no selector tells them apart. */
export class Kin {
  readonly namespace: string
  readonly labels: Labels
  /** The last question and its answer: a pass asks the same of every pod. */
  #query: KinQuery | undefined
  #answer = false

  constructor(namespace: string, labels: Labels) {
    this.namespace = namespace
    this.labels = labels
  }

  answer(query: KinQuery): boolean {
    if (this.#query !== query) {
      this.#answer = query(this.namespace, this.labels)
      this.#query = query
    }
    return this.#answer
  }
}

interface Peer {
  readonly pod: Pod
  readonly kin: Kin
  readonly isTerminating: boolean
}

function kinKey({ metadata: { namespace = '', labels = noLabels } }: Pod): string {
  const parts = [namespace]
  for (const key of Object.keys(labels).toSorted()) parts.push(key, labels[key] ?? '')
  return parts.join('\0')
}

/**
 * The pods on each row, grouped so that a selector is asked once for many of them. Nobody tells it of changes: it
 * compares the rows' pod lists, which are never changed in place, when it is asked.
 */
export class Peers {
  #lists: (readonly Pod[])[] = []
  #peers: (readonly Peer[])[] = []
  /** Copies share it: a key always leads to the same namespace and labels. */
  #kins = new Map<string, Kin>()
  #keptKins = 0

  /** Takes notice of pods that changed. To be called before {@link Peers.countByRow}. */
  refresh(lists: readonly (readonly Pod[])[]): void {
    for (let row = 0; row < Math.max(lists.length, this.#lists.length); row++) {
      const list = lists[row] ?? noPods
      if (this.#lists[row] === list) continue
      const known = new Map((this.#peers[row] ?? noPeers).map((peer) => [peer.pod, peer]))
      this.#lists[row] = list
      this.#peers[row] = list.length === 0 ? noPeers : list.map((pod) => known.get(pod) ?? this.#peerOf(pod))
    }
    if (this.#kins.size > 2 * this.#keptKins + MIN_SWEEP) this.#sweep()
  }

  /** By row: how many pods the query selects, as of the last refresh. Other rows than the given ones have 0. */
  countByRow(rows: Int32Array, query: KinQuery, options: { readonly skipTerminating: boolean }): Int32Array {
    const counts = new Int32Array(this.#peers.length)
    const { skipTerminating } = options
    for (const row of rows) {
      const peers = this.#peers[row] ?? noPeers
      let count = 0
      for (const { kin, isTerminating } of peers) {
        if (kin.answer(query) && !(skipTerminating && isTerminating)) count += 1
      }
      counts[row] = count
    }
    return counts
  }

  copy(): Peers {
    const copy = new Peers()
    copy.#lists = [...this.#lists]
    copy.#peers = [...this.#peers]
    copy.#kins = this.#kins
    copy.#keptKins = this.#keptKins
    return copy
  }

  #peerOf(pod: Pod): Peer {
    const key = kinKey(pod)
    let kin = this.#kins.get(key)
    if (kin === undefined) {
      kin = new Kin(pod.metadata.namespace ?? '', pod.metadata.labels ?? noLabels)
      this.#kins.set(key, kin)
    }
    return { pod, kin, isTerminating: pod.metadata.deletionTimestamp !== undefined }
  }

  /** Forgets kins without pods; a new map, since copies may use the old one. */
  #sweep(): void {
    const kins = new Map<string, Kin>()
    for (const peers of this.#peers) for (const { pod, kin } of peers) kins.set(kinKey(pod), kin)
    this.#kins = kins
    this.#keptKins = kins.size
  }
}
