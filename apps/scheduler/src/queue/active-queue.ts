import { createKeyedHeap, type KeyedHeap } from './keyed-heap.ts'
import type { QueuedPodInfo } from './queued-pod.ts'
import type { SerialGroups } from './serial-groups.ts'

/** The pods that may be attempted now, in queue order, except that a pod of a busy group waits for its group. */
export interface ActiveQueue {
  readonly size: number
  set(info: QueuedPodInfo): void
  get(key: string): QueuedPodInfo | undefined
  delete(key: string): void
  /** Iterates over every pod in no particular order. */
  values(): Iterable<QueuedPodInfo>
  /** Returns whether pop would return a pod. */
  hasNext(): boolean
  /** Removes and returns the first pod in order whose group is free; undefined when there is none. */
  pop(): QueuedPodInfo | undefined
}

/** Creates an empty queue. It has one heap per group, so that a busy group costs nothing, however long it is. */
export function createActiveQueue(
  compare: (a: QueuedPodInfo, b: QueuedPodInfo) => number,
  groups: SerialGroups,
): ActiveQueue {
  const heaps = new Map<string, KeyedHeap<QueuedPodInfo>>()
  const next = (): KeyedHeap<QueuedPodInfo> | undefined => {
    let best: KeyedHeap<QueuedPodInfo> | undefined
    let bestInfo: QueuedPodInfo | undefined
    for (const [group, heap] of heaps) {
      const info = groups.isFree(group) ? heap.peek() : undefined
      if (info === undefined || (bestInfo !== undefined && compare(bestInfo, info) <= 0)) continue
      best = heap
      bestInfo = info
    }
    return best
  }
  const remove = (key: string): void => {
    for (const heap of heaps.values()) heap.delete(key)
  }
  return {
    get size() {
      let size = 0
      for (const heap of heaps.values()) size += heap.size
      return size
    },
    set(info) {
      const group = groups.groupOf(info.pod)
      const heap = heaps.get(group) ?? createKeyedHeap(compare)
      // An update of the pod may move it to another group.
      if (!heap.has(info.key)) remove(info.key)
      heaps.set(group, heap)
      heap.set(info.key, info)
    },
    get(key) {
      for (const heap of heaps.values()) {
        const info = heap.get(key)
        if (info !== undefined) return info
      }
      return undefined
    },
    delete: remove,
    *values() {
      for (const heap of heaps.values()) yield* heap.values()
    },
    hasNext: () => next() !== undefined,
    pop: () => next()?.pop(),
  }
}
