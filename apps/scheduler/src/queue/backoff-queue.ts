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
  /** Whether the backoff of the pod has ended. */
  isOver(info: QueuedPodInfo): boolean
  add(info: QueuedPodInfo): void
  get(key: string): QueuedPodInfo | undefined
  /** Replaces a waiting pod of the same key; false when there is none. */
  replace(info: QueuedPodInfo): boolean
  delete(key: string): void
  /** Whether a rejected pod may be taken before its backoff ends. */
  hasEarly(): boolean
  /** Takes the rejected pod whose backoff ends first; undefined when none may be taken early. */
  popEarly(): QueuedPodInfo | undefined
}

export interface BackoffQueueOptions {
  readonly clock: Clock
  readonly limits: BackoffLimits
  /** Receives a pod whose backoff has ended; the queue does not hold it any more. */
  readonly onOver: (info: QueuedPodInfo) => void
  /** Called when {@link BackoffQueue.hasEarly} may have become true. */
  readonly onEarly: () => void
}

/** Shortest wait after an attempt. Without it, pods that requeue each other would keep an idle loop busy for ever. */
const MIN_WAIT_MS = 100

/** Creates an empty queue. */
export function createBackoffQueue({ clock, limits, onOver, onEarly }: BackoffQueueOptions): BackoffQueue {
  const byEndOfBackoff = (a: QueuedPodInfo, b: QueuedPodInfo): number => overAtMs(a) - overAtMs(b)
  const rejected = createKeyedHeap<QueuedPodInfo>(byEndOfBackoff)
  const failed = createKeyedHeap<QueuedPodInfo>(byEndOfBackoff)
  let alarm: { readonly timer: Timer; readonly atMs: number } | undefined

  function overAtMs(info: QueuedPodInfo): number {
    return info.enteredMs + backoffMs(info.errors > 0 ? info.errors : info.rejections, limits)
  }

  function isOver(info: QueuedPodInfo): boolean {
    return overAtMs(info) <= clock.monotonic()
  }

  function hasEarly(): boolean {
    const first = rejected.peek()
    return first !== undefined && clock.monotonic() >= first.enteredMs + MIN_WAIT_MS
  }

  /** Sets the timer to the next moment at which a pod may leave. */
  function setAlarm(): void {
    const [firstRejected, firstFailed] = [rejected.peek(), failed.peek()]
    const isEarly = hasEarly()
    if (isEarly) onEarly()
    const earlyAtMs = firstRejected === undefined || isEarly ? Infinity : firstRejected.enteredMs + MIN_WAIT_MS
    const overTimes = [firstRejected, firstFailed].map((info) => (info === undefined ? Infinity : overAtMs(info)))
    const atMs = Math.min(earlyAtMs, ...overTimes)
    if (alarm?.atMs === atMs) return
    alarm?.timer.cancel()
    alarm = Number.isFinite(atMs)
      ? { atMs, timer: clock.setTimer(Math.max(0, atMs - clock.monotonic()), flush) }
      : undefined
  }

  function flush(): void {
    alarm = undefined
    for (const heap of [rejected, failed]) {
      for (let info = heap.peek(); info !== undefined && isOver(info); info = heap.peek()) {
        heap.pop()
        onOver(info)
      }
    }
    setAlarm()
  }

  return {
    get size() {
      return rejected.size + failed.size
    },
    isOver,
    add(info) {
      const heap = info.errors > 0 || info.rejectors.size === 0 ? failed : rejected
      heap.set(info.key, info)
      setAlarm()
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
      setAlarm()
    },
    hasEarly,
    popEarly() {
      if (!hasEarly()) return undefined
      const info = rejected.pop()
      setAlarm()
      return info
    },
    [Symbol.dispose]() {
      alarm?.timer.cancel()
    },
  }
}
