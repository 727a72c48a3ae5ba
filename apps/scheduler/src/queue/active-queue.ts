import { createKeyedHeap, type KeyedHeap } from './keyed-heap.ts'
import type { QueuedPodInfo } from './queued-pod.ts'
import type { AttemptGroup, AttemptGroups } from './attempt-groups.ts'

/**
 * The pods that may be attempted now, in queue order. "Groups" are the attempt groups of {@link AttemptGroups} and not
 * pod groups. A pod is skipped while one of its groups is full.
 */
export interface ActiveQueue {
  readonly size: number
  set(info: QueuedPodInfo): void
  get(key: string): QueuedPodInfo | undefined
  delete(key: string): void
  /** Iterates over every pod in no particular order. */
  values(): Iterable<QueuedPodInfo>
  /** Returns whether pop would return a pod. */
  hasNext(): boolean
  /** Returns the pod that pop would return. */
  peek(): QueuedPodInfo | undefined
  /** Removes and returns the first pod in order whose groups are free; undefined when there is none. */
  pop(): QueuedPodInfo | undefined
}

/**
 * Creates an empty queue. It has one heap per set of groups, so that skipping the pods of a full group takes constant
 * time.
 */
export function createActiveQueue(
  compare: (a: QueuedPodInfo, b: QueuedPodInfo) => number,
  groups: AttemptGroups,
): ActiveQueue {
  const queues = new Map<
    string,
    { readonly memberOf: readonly AttemptGroup[]; readonly heap: KeyedHeap<QueuedPodInfo> }
  >()
  const next = (): KeyedHeap<QueuedPodInfo> | undefined => {
    let best: KeyedHeap<QueuedPodInfo> | undefined
    let bestInfo: QueuedPodInfo | undefined
    for (const { memberOf, heap } of queues.values()) {
      const info = groups.areFree(memberOf) ? heap.peek() : undefined
      if (info === undefined || (bestInfo !== undefined && compare(bestInfo, info) <= 0)) continue
      best = heap
      bestInfo = info
    }
    return best
  }
  const remove = (key: string): void => {
    for (const { heap } of queues.values()) heap.delete(key)
  }
  return {
    get size() {
      let size = 0
      for (const { heap } of queues.values()) size += heap.size
      return size
    },
    set(info) {
      const memberOf = groups.groupsOf(info.pod)
      const name = memberOf.map((group) => group.name).join(' ')
      const { heap } = queues.get(name) ?? { heap: createKeyedHeap(compare) }
      // An update of the pod may move it to other groups.
      if (!heap.has(info.key)) remove(info.key)
      queues.set(name, { memberOf, heap })
      heap.set(info.key, info)
    },
    get(key) {
      for (const { heap } of queues.values()) {
        const info = heap.get(key)
        if (info !== undefined) return info
      }
      return undefined
    },
    delete: remove,
    *values() {
      for (const { heap } of queues.values()) yield* heap.values()
    },
    hasNext: () => next() !== undefined,
    peek: () => next()?.peek(),
    pop: () => next()?.pop(),
  }
}
