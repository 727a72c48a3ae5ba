import type { Clock, Timer } from '@berth/types'
import { backoffMs, type BackoffLimits } from '@berth/clock'
import { createActiveQueue } from './active-queue.ts'
import type { AttemptGroups } from './attempt-groups.ts'
import { createKeyedHeap } from './keyed-heap.ts'
import type { QueuedPodInfo } from './queued-pod.ts'

/**
 * Pods that wait for their backoff to end. An idle scheduling loop may take rejected pods earlier, as in
 * kube-scheduler. Pods whose attempt ended with an error always wait to the end.
 */
export interface BackoffQueue extends Disposable {
  readonly size: number
  /** Returns when the backoff of the pod ends, monotonic milliseconds. */
  endsAtMs(info: QueuedPodInfo): number
  /** Returns whether the backoff of the pod has ended. */
  readonly hasEnded: (info: QueuedPodInfo) => boolean
  add(info: QueuedPodInfo): void
  get(key: string): QueuedPodInfo | undefined
  /** Replaces a waiting pod of the same key; false when there is none. */
  replace(info: QueuedPodInfo): boolean
  delete(key: string): void
  /** Iterates over every pod in no particular order. */
  values(): Iterable<QueuedPodInfo>
  /**
   * Returns whether a pod may be taken before its backoff ends: the rejected pod whose backoff ends first, among those
   * whose attempt groups are not full.
   */
  hasEarly(): boolean
  /** Call it when an attempt group may no longer be full. */
  onGroupFree(): void
  /** Removes and returns the pod of {@link BackoffQueue.hasEarly}; undefined when there is none. */
  popEarly(): QueuedPodInfo | undefined
}

/** Options of {@link createBackoffQueue}. */
export interface BackoffQueueOptions {
  readonly clock: Clock
  readonly limits: BackoffLimits
  /** The groups of attempts; a pod of a full group is not taken early. */
  readonly groups: AttemptGroups
  /** The order of the queue: negative when `a` is to be scheduled before `b`. */
  readonly compare: (a: QueuedPodInfo, b: QueuedPodInfo) => number
  /** Called with each pod whose backoff has ended, after the queue has removed it. */
  readonly onEnded: (info: QueuedPodInfo) => void
  /** Called when {@link BackoffQueue.hasEarly} may have become true. */
  readonly onEarlyAvailable: () => void
}

/** Shortest wait after an attempt. Without it, pods that requeue each other would keep an idle loop busy forever. */
const MIN_WAIT_MS = 100

/** Rejected pods whose backoff ends within the same window are in queue order: upstream's `backoffQOrderingWindowDuration`. */
const WINDOW_MS = 1_000

/** Creates an empty queue. */
export function createBackoffQueue({
  clock,
  limits,
  groups,
  compare,
  onEnded,
  onEarlyAvailable,
}: BackoffQueueOptions): BackoffQueue {
  // Windows are those of the wall clock at the start, as upstream's; later changes of that clock do not matter.
  const phaseMs = clock.now() - clock.monotonic()
  const byEndOfBackoff = (a: QueuedPodInfo, b: QueuedPodInfo): number => endsAtMs(a) - endsAtMs(b)
  const byWindow = (a: QueuedPodInfo, b: QueuedPodInfo): number => byEndOfBackoff(a, b) || compare(a, b)
  const rejected = createKeyedHeap<QueuedPodInfo>(byWindow)
  /** The same pods, without those of full groups. */
  const startable = createActiveQueue(byWindow, groups)
  const failed = createKeyedHeap<QueuedPodInfo>(byEndOfBackoff)
  let nextFlush: { readonly timer: Timer; readonly atMs: number } | undefined

  const isAfterError = ({ errors, rejectors }: QueuedPodInfo): boolean => errors > 0 || rejectors.size === 0

  /** Returns the monotonic time at which the backoff ends: after a rejection, the end of its window. */
  function endsAtMs(info: QueuedPodInfo): number {
    const { enteredMs, errors, rejections } = info
    const exactMs = enteredMs + backoffMs(errors > 0 ? errors : rejections, limits)
    if (isAfterError(info) || exactMs === enteredMs) return exactMs
    return (Math.floor((exactMs + phaseMs) / WINDOW_MS) + 1) * WINDOW_MS - phaseMs
  }

  function hasEnded(info: QueuedPodInfo): boolean {
    return endsAtMs(info) <= clock.monotonic()
  }

  function earlyAtMs(): number {
    const first = startable.peek()
    return first === undefined ? Infinity : first.enteredMs + MIN_WAIT_MS
  }

  function hasEarly(): boolean {
    return earlyAtMs() <= clock.monotonic()
  }

  function remove(key: string): void {
    rejected.delete(key)
    startable.delete(key)
    failed.delete(key)
  }

  /** Sets the timer to the next time at which a pod may be taken early or its backoff ends. */
  function scheduleFlush(): void {
    const [firstRejected, firstFailed] = [rejected.peek(), failed.peek()]
    const isEarly = hasEarly()
    if (isEarly) onEarlyAvailable()
    const endTimes = [firstRejected, firstFailed].map((info) => (info === undefined ? Infinity : endsAtMs(info)))
    const atMs = Math.min(isEarly ? Infinity : earlyAtMs(), ...endTimes)
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
        remove(info.key)
        onEnded(info)
      }
    }
    scheduleFlush()
  }

  return {
    get size() {
      return rejected.size + failed.size
    },
    endsAtMs,
    hasEnded,
    add(info) {
      if (isAfterError(info)) {
        failed.set(info.key, info)
      } else {
        rejected.set(info.key, info)
        startable.set(info)
      }
      scheduleFlush()
    },
    get: (key) => rejected.get(key) ?? failed.get(key),
    replace(info) {
      const heap = [rejected, failed].find((each) => each.has(info.key))
      heap?.set(info.key, info)
      if (heap === rejected) startable.set(info)
      return heap !== undefined
    },
    delete(key) {
      remove(key)
      scheduleFlush()
    },
    *values() {
      yield* rejected.values()
      yield* failed.values()
    },
    hasEarly,
    onGroupFree: scheduleFlush,
    popEarly() {
      const info = hasEarly() ? startable.peek() : undefined
      if (info === undefined) return undefined
      remove(info.key)
      scheduleFlush()
      return info
    },
    [Symbol.dispose]() {
      nextFlush?.timer.cancel()
    },
  }
}
