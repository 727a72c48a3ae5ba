import type { Clock, Timer } from '@berth/types'
import { backoffMs, type BackoffLimits } from '@berth/clock'
import { createKeyedHeap } from './keyed-heap.ts'
import type { QueuedPodInfo } from './queued-pod.ts'

/**
 * Pods that wait for their backoff to end. An idle scheduling loop may take rejected pods earlier, as in
 * kube-scheduler. Pods whose attempt ended with an error always wait to the end.
 */
export interface BackoffQueue extends Disposable {
  readonly size: number
  /** Returns whether the backoff of the pod has ended. */
  hasEnded(info: QueuedPodInfo): boolean
  add(info: QueuedPodInfo): void
  get(key: string): QueuedPodInfo | undefined
  /** Replaces a waiting pod of the same key; false when there is none. */
  replace(info: QueuedPodInfo): boolean
  delete(key: string): void
  /** Iterates over every pod in no particular order. */
  values(): Iterable<QueuedPodInfo>
  /** Returns whether the rejected pod whose backoff ends first may be taken early, and passes `mayStart`. */
  hasEarly(mayStart: (info: QueuedPodInfo) => boolean): boolean
  /** Takes that pod; undefined when it may not be taken. */
  popEarly(mayStart: (info: QueuedPodInfo) => boolean): QueuedPodInfo | undefined
}

/** Options of {@link createBackoffQueue}. */
export interface BackoffQueueOptions {
  readonly clock: Clock
  readonly limits: BackoffLimits
  /** Called with each pod whose backoff has ended, after the queue has removed it. */
  readonly onEnded: (info: QueuedPodInfo) => void
  /** Called when {@link BackoffQueue.hasEarly} may have become true for a pod that may start. */
  readonly onEarlyAvailable: () => void
}

/** Shortest wait after an attempt. Without it, pods that requeue each other would keep an idle loop busy forever. */
const MIN_WAIT_MS = 100

/** Creates an empty queue. */
export function createBackoffQueue({ clock, limits, onEnded, onEarlyAvailable }: BackoffQueueOptions): BackoffQueue {
  const byEndOfBackoff = (a: QueuedPodInfo, b: QueuedPodInfo): number => endsAtMs(a) - endsAtMs(b)
  const rejected = createKeyedHeap<QueuedPodInfo>(byEndOfBackoff)
  const failed = createKeyedHeap<QueuedPodInfo>(byEndOfBackoff)
  let nextFlush: { readonly timer: Timer; readonly atMs: number } | undefined

  function endsAtMs(info: QueuedPodInfo): number {
    return info.enteredMs + backoffMs(info.errors > 0 ? info.errors : info.rejections, limits)
  }

  function hasEnded(info: QueuedPodInfo): boolean {
    return endsAtMs(info) <= clock.monotonic()
  }

  function hasEarly(mayStart: (info: QueuedPodInfo) => boolean): boolean {
    const first = rejected.peek()
    return first !== undefined && clock.monotonic() >= first.enteredMs + MIN_WAIT_MS && mayStart(first)
  }

  /** Sets the timer to the next time at which a pod may be taken early or its backoff ends. */
  function scheduleFlush(): void {
    const [firstRejected, firstFailed] = [rejected.peek(), failed.peek()]
    const isEarly = hasEarly(() => true)
    if (isEarly) onEarlyAvailable()
    const earlyAtMs = firstRejected === undefined || isEarly ? Infinity : firstRejected.enteredMs + MIN_WAIT_MS
    const endTimes = [firstRejected, firstFailed].map((info) => (info === undefined ? Infinity : endsAtMs(info)))
    const atMs = Math.min(earlyAtMs, ...endTimes)
    if (nextFlush?.atMs === atMs) return
    nextFlush?.timer.cancel()
    nextFlush = Number.isFinite(atMs)
      ? { atMs, timer: clock.setTimer(Math.max(0, atMs - clock.monotonic()), flush) }
      : undefined
  }

  function flush(): void {
    nextFlush = undefined
    for (const heap of [rejected, failed]) {
      for (let info = heap.peek(); info !== undefined && hasEnded(info); info = heap.peek()) {
        heap.pop()
        onEnded(info)
      }
    }
    scheduleFlush()
  }

  return {
    get size() {
      return rejected.size + failed.size
    },
    hasEnded,
    add(info) {
      const heap = info.errors > 0 || info.rejectors.size === 0 ? failed : rejected
      heap.set(info.key, info)
      scheduleFlush()
    },
    get: (key) => rejected.get(key) ?? failed.get(key),
    replace(info) {
      const heap = [rejected, failed].find((each) => each.has(info.key))
      heap?.set(info.key, info)
      return heap !== undefined
    },
    delete(key) {
      rejected.delete(key)
      failed.delete(key)
      scheduleFlush()
    },
    *values() {
      yield* rejected.values()
      yield* failed.values()
    },
    hasEarly,
    popEarly(mayStart) {
      if (!hasEarly(mayStart)) return undefined
      const info = rejected.pop()
      scheduleFlush()
      return info
    },
    [Symbol.dispose]() {
      nextFlush?.timer.cancel()
    },
  }
}
