import type { ClusterChange } from '@berth/cluster-view'
import type { Clock, Pod, QueuedPod, Timer } from '@berth/types'
import { backoffMs, type BackoffLimits } from './backoff.ts'
import { createEventLog } from './event-log.ts'
import { createKeyedHeap } from './keyed-heap.ts'
import { isGated, podUid, type QueuedPodInfo } from './queued-pod.ts'
import { createWakeSignal } from './wake-signal.ts'

/** How many pods wait where; `inFlight` are those taken by pop and not yet given back. */
export interface QueueCounts {
  readonly active: number
  readonly backoff: number
  readonly unschedulable: number
  readonly gated: number
  readonly inFlight: number
}

export interface SchedulingQueueOptions {
  readonly clock: Clock
  /** Negative when `a` is to be scheduled before `b`. */
  readonly order: (a: QueuedPod, b: QueuedPod) => number
  /** Whether a change may make a pod fit that these plugins turned away. */
  readonly wakes: (info: QueuedPodInfo, change: ClusterChange) => boolean
  readonly backoff: BackoffLimits
  /** Age after which a parked pod is tried again without a reason. Default: five minutes. */
  readonly flushAfterMs?: number
  /** How often parked pods are looked through for that age. Default: 30 seconds. */
  readonly flushEveryMs?: number
}

/**
 * The pods that wait for a node: active, backing off, parked as unschedulable (gated pods with them) or in flight.
 * A pod is in exactly one of them. Mirrors kube-scheduler's scheduling queue (v1.36).
 */
export interface SchedulingQueue extends Disposable {
  /** A pending pod was seen for the first time. Known keys are updated. */
  add(pod: Pod): void
  /** The pod's own object changed. `isRelevant` tells that more than its status did. */
  update(pod: Pod, isRelevant: boolean): void
  /** The pod is gone, or bound by whomever. */
  remove(pod: Pod): void
  /** Takes the next pod, in flight from now on; undefined when none may be tried now. */
  pop(): QueuedPodInfo | undefined
  /** Resolves when pop may have an answer, or when `signal` aborts. */
  untilPoppable(signal: AbortSignal): Promise<void>
  /** A pod in flight was bound, or is nobody's business any more. */
  done(key: string): void
  /** A pod in flight was turned away by these plugins: it waits for a change that they care about. */
  park(info: QueuedPodInfo, rejectors: ReadonlySet<string>): void
  /** The attempt of a pod in flight broke: it is tried again after its backoff. */
  retry(info: QueuedPodInfo): void
  /** The cluster changed: wakes the parked pods that it may help, all but the one that caused the change itself. */
  observe(change: ClusterChange, causedBy?: string): void
  counts(): QueueCounts
}

interface Flight {
  readonly since: number
  /** The latest object, when it changed on the way. */
  pod?: Pod
  /** Set when more than the status changed: the verdict speaks of another pod. */
  isStale: boolean
}

/**
 * A loop with nothing else to do takes rejected pods before their backoff is over, as in kube-scheduler; but never
 * sooner than this after their last attempt, or pods that wake each other would keep it busy for ever.
 */
const MIN_WAIT_MS = 100

/** Makes an empty queue. */
export function createSchedulingQueue(options: SchedulingQueueOptions): SchedulingQueue {
  const { clock, wakes, backoff, flushAfterMs = 300_000, flushEveryMs = 30_000 } = options
  const active = createKeyedHeap<QueuedPodInfo>(options.order)
  const byReadyTime = (a: QueuedPodInfo, b: QueuedPodInfo): number => readyAtMs(a) - readyAtMs(b)
  const rejected = createKeyedHeap<QueuedPodInfo>(byReadyTime)
  const failed = createKeyedHeap<QueuedPodInfo>(byReadyTime)
  const parked = new Map<string, QueuedPodInfo>()
  const gated = new Map<string, QueuedPodInfo>()
  const flights = new Map<string, Flight>()
  const events = createEventLog<ClusterChange>()
  const poppable = createWakeSignal()
  let backoffTimer: { readonly timer: Timer; readonly atMs: number } | undefined
  let flushTimer: Timer | undefined

  function readyAtMs(info: QueuedPodInfo): number {
    return info.enteredMs + backoffMs(info.errors > 0 ? info.errors : info.rejections, backoff)
  }

  const entered = (): Pick<QueuedPodInfo, 'enteredMs' | 'queuedAtMs'> => ({
    enteredMs: clock.monotonic(),
    queuedAtMs: clock.now(),
  })

  const activate = (info: QueuedPodInfo): void => {
    active.set(info.key, { ...info, ...entered() })
    poppable.raise()
  }

  /** To the active pods, or to those that back off when their time is not over. */
  const enqueue = (info: QueuedPodInfo): void => {
    if (isGated(info.pod)) {
      gated.set(info.key, info)
    } else if (readyAtMs(info) <= clock.monotonic()) {
      activate(info)
    } else {
      const heap = info.errors > 0 || info.rejectors.size === 0 ? failed : rejected
      heap.set(info.key, info)
      armBackoff()
    }
  }

  function armBackoff(): void {
    const [early, late] = [rejected.peek(), failed.peek()]
    const isEarly = isEarlyEnough(early)
    if (isEarly) poppable.raise()
    const earlyAtMs = early === undefined || isEarly ? Infinity : early.enteredMs + MIN_WAIT_MS
    const times = [early, late].map((info) => (info === undefined ? Infinity : readyAtMs(info)))
    const atMs = Math.min(earlyAtMs, ...times)
    if (backoffTimer?.atMs === atMs) return
    backoffTimer?.timer.cancel()
    backoffTimer = Number.isFinite(atMs)
      ? { atMs, timer: clock.setTimer(Math.max(0, atMs - clock.monotonic()), flushBackoff) }
      : undefined
  }

  function flushBackoff(): void {
    backoffTimer = undefined
    for (const heap of [rejected, failed]) {
      for (let info = heap.peek(); info !== undefined && readyAtMs(info) <= clock.monotonic(); info = heap.peek()) {
        heap.pop()
        activate(info)
      }
    }
    armBackoff()
  }

  function isEarlyEnough(info: QueuedPodInfo | undefined): boolean {
    return info !== undefined && clock.monotonic() >= info.enteredMs + MIN_WAIT_MS
  }

  const armFlush = (): void => {
    flushTimer ??= clock.setTimer(flushEveryMs, () => {
      flushTimer = undefined
      const oldest = clock.monotonic() - flushAfterMs
      for (const info of parked.values()) {
        if (info.enteredMs < oldest) unpark(info)
      }
      if (parked.size > 0) armFlush()
    })
  }

  const unpark = (info: QueuedPodInfo): void => {
    parked.delete(info.key)
    enqueue(info)
  }

  const find = (key: string): QueuedPodInfo | undefined =>
    active.get(key) ?? rejected.get(key) ?? failed.get(key) ?? parked.get(key) ?? gated.get(key)

  const land = (key: string): Flight | undefined => {
    const flight = flights.get(key)
    if (flight === undefined) return undefined
    flights.delete(key)
    events.release(flight.since)
    return flight
  }

  const takeOff = (info: QueuedPodInfo): QueuedPodInfo => {
    flights.set(info.key, { since: events.hold(), isStale: false })
    return { ...info, attempts: info.attempts + 1 }
  }

  return {
    add(pod) {
      const key = podUid(pod)
      if (flights.has(key) || find(key) !== undefined) {
        this.update(pod, true)
        return
      }
      enqueue({
        key,
        pod,
        ...entered(),
        firstSeenMs: clock.monotonic(),
        attempts: 0,
        rejections: 0,
        errors: 0,
        rejectors: new Set(),
      })
    },
    update(pod, isRelevant) {
      const key = podUid(pod)
      const flight = flights.get(key)
      if (flight !== undefined) {
        flight.pod = pod
        flight.isStale ||= isRelevant
        return
      }
      const known = find(key)
      if (known === undefined) return
      const info = { ...known, pod }
      if (active.has(key)) active.set(key, info)
      else if (rejected.has(key)) rejected.set(key, info)
      else if (failed.has(key)) failed.set(key, info)
      else if (parked.has(key)) {
        if (isRelevant) unpark(info)
        else parked.set(key, info)
      } else {
        gated.delete(key)
        enqueue(info)
      }
    },
    remove(pod) {
      const key = podUid(pod)
      land(key)
      for (const place of [active, rejected, failed, parked, gated]) place.delete(key)
      armBackoff()
    },
    pop() {
      const info = active.pop() ?? (isEarlyEnough(rejected.peek()) ? rejected.pop() : undefined)
      if (info === undefined) return undefined
      armBackoff()
      return takeOff(info)
    },
    async untilPoppable(signal) {
      while (!signal.aborted && active.size === 0 && !isEarlyEnough(rejected.peek())) await poppable.wait(signal)
    },
    done(key) {
      land(key)
    },
    park(info, rejectors) {
      const flight = land(info.key)
      if (flight === undefined) return
      const parkedInfo: QueuedPodInfo = {
        ...info,
        pod: flight.pod ?? info.pod,
        ...entered(),
        rejections: info.rejections + 1,
        errors: 0,
        rejectors,
      }
      const missed = flight.isStale || events.isLost(flight.since)
      if (missed || rejectors.size === 0 || isGated(parkedInfo.pod)) enqueue(parkedInfo)
      else if (events.since(flight.since).some((change) => wakes(parkedInfo, change))) enqueue(parkedInfo)
      else {
        parked.set(info.key, parkedInfo)
        armFlush()
      }
    },
    retry(info) {
      const flight = land(info.key)
      if (flight === undefined) return
      enqueue({
        ...info,
        pod: flight.pod ?? info.pod,
        ...entered(),
        errors: info.errors + 1,
        rejectors: new Set(),
      })
    },
    observe(change, causedBy) {
      events.record(change)
      for (const info of parked.values()) {
        if (info.key !== causedBy && wakes(info, change)) unpark(info)
      }
    },
    counts: () => ({
      active: active.size,
      backoff: rejected.size + failed.size,
      unschedulable: parked.size,
      gated: gated.size,
      inFlight: flights.size,
    }),
    [Symbol.dispose]() {
      backoffTimer?.timer.cancel()
      flushTimer?.cancel()
    },
  }
}
