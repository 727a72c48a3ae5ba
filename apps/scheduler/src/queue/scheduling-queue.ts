import type { BackoffLimits } from '@berth/clock'
import { type ClusterChange, createPool } from '@berth/cluster-view'
import type { Clock, Pod, QueuedPod, Timer } from '@berth/types'
import { createActiveQueue } from './active-queue.ts'
import { type AttemptGroup, type AttemptGroups, createAttemptGroups } from './attempt-groups.ts'
import { createBackoffQueue } from './backoff-queue.ts'
import { eventLabel } from './event-label.ts'
import { createInFlightPods } from './in-flight-pods.ts'
import { createPodTable } from './pod-table.ts'
import { isGated, podUid, type QueuedPodInfo } from './queued-pod.ts'
import { GANG_SCHEDULING } from './rejectors.ts'
import { createWakeSignal } from './wake-signal.ts'
import { createUnschedulablePods } from './wake-ups/unschedulable-pods.ts'
import type { WakeIndex } from './wake-ups/wake-index.ts'

/**
 * Number of pods in each part of the queue. `inFlight` counts pods that `pop` returned and whose attempt has not ended.
 */
export interface QueueCounts {
  readonly active: number
  readonly backoff: number
  readonly unschedulable: number
  readonly gated: number
  readonly inFlight: number
}

/** The rejector of pods with scheduling gates, which only an update of the pod removes. */
const SCHEDULING_GATES = 'SchedulingGates'
/** kube-scheduler's label of the event that an attempt did not bind the pod. */
const ATTEMPT_FAILURE = 'ScheduleAttemptFailure'
/** The label of changes of a pod group that requeue its members. */
const POD_GROUP_CHANGE = 'PodGroupChange'
/** kube-scheduler's podInitialBackoffSeconds and podMaxBackoffSeconds. */
export const defaultBackoff: BackoffLimits = { initialMs: 1_000, maxMs: 10_000 }

/** Default of {@link SchedulingQueueOptions.indexAbove}. */
const INDEX_ABOVE = 64

/** The queues whose incoming pods are counted, under kube-scheduler's names; gated pods are unschedulable there. */
export type IncomingQueue = 'active' | 'backoff' | 'unschedulable'

/** A pod of the queue and the part that it is in. */
export interface PlacedPod {
  readonly place: 'active' | 'backoff' | 'unschedulable' | 'gated' | 'inFlight'
  readonly info: QueuedPodInfo
}

/** Options of {@link createSchedulingQueue}. */
export interface SchedulingQueueOptions {
  readonly clock: Clock
  /** Negative when `a` is to be scheduled before `b`. */
  readonly compare: (a: QueuedPod, b: QueuedPod) => number
  /** Returns whether a change of the cluster may make an unschedulable pod fit. */
  readonly isHelpedBy: (info: QueuedPodInfo, change: ClusterChange) => boolean
  /**
   * Finds the pods for which `isHelpedBy` would return true, and requeues only as many pods for a node's free room as fit
   * there. Default: `isHelpedBy` is called for every unschedulable pod and every change.
   */
  readonly wakeIndex?: WakeIndex
  /**
   * Number of unschedulable pods up to which `isHelpedBy` is called for each of them although there is an index, so that
   * pods are retried when kube-scheduler's hints say so. Default: 64, a few milliseconds of work per change.
   */
  readonly indexAbove?: number
  readonly backoff: BackoffLimits
  /** Returns the attempt groups of the pod. Default: none, so that the number of attempts is not limited. */
  readonly attemptGroupsOf?: AttemptGroups['groupsOf']
  /** Time after which an unschedulable pod is requeued even if nothing changed. Default: five minutes. */
  readonly flushAfterMs?: number
  /** Returns the plugin that holds the pod back, so that it is not attempted. Default: no pod is held back. */
  readonly preEnqueue?: (pod: Pod) => string | undefined
  /** Returns why the pod waits for its pod group, so that it is not attempted. Default: no pod waits. */
  readonly groupHold?: (pod: Pod) => string | undefined
  /** Returns the key of the pod's pod group. Default: no pod has one. */
  readonly podGroupOf?: (pod: Pod) => string | undefined
  /** Called when a pod enters a queue, with kube-scheduler's label of the event that moved it. */
  readonly onIncoming?: (queue: IncomingQueue, event: string) => void
  /** Interval between checks for pods that are due by `flushAfterMs`. Default: 30 seconds. */
  readonly flushEveryMs?: number
}

/**
 * The pods that wait for a node. A pod is in exactly one part: active, in backoff, unschedulable, gated or in flight
 * (an attempt to schedule it is running). Mirrors kube-scheduler's scheduling queue (v1.36).
 */
export interface SchedulingQueue extends Disposable {
  /** Adds a pending pod; a known pod is updated. */
  add(pod: Pod): void
  /**
   * Stores the new version of a pod. `isRelevant`: more than its status changed, so an unschedulable pod is requeued.
   */
  update(pod: Pod, isRelevant: boolean): void
  /** Removes a pod that is deleted or bound. */
  remove(pod: Pod): void
  /**
   * Returns the next pod, which is then in flight; undefined when no pod may be attempted now. It counts in its attempt
   * groups until {@link SchedulingQueue.leaveGroups}.
   */
  pop(): QueuedPodInfo | undefined
  /**
   * Returns this pod as pop does, wherever it waits, so that it is attempted with the members of its pod group. Undefined
   * when it is held back, in flight or not in the queue.
   */
  popPod(key: string): QueuedPodInfo | undefined
  /**
   * Requeues the pods of a pod group that changed, or of all pod groups: those that were held back for it, and
   * unschedulable ones. A pod in flight is retried after its backoff if its attempt rejects it.
   */
  requeueGroup(group: string | undefined): void
  /**
   * Ends the count of the pod's attempt in the attempt groups that it leaves at this point, so that other pods can be
   * popped.
   */
  leaveGroups(key: string, now: AttemptGroup['until']): void
  /** Resolves when pop may return a pod, or when `signal` aborts. */
  waitForPod(signal: AbortSignal): Promise<void>
  /** Drops a pod in flight that was bound, or that no longer needs scheduling. */
  done(key: string): void
  /** Puts back a pod in flight that these plugins rejected. It waits for a change that may help it. */
  addUnschedulable(info: QueuedPodInfo, rejectors: ReadonlySet<string>): void
  /** Puts back a pod in flight whose attempt ended with an error. It is retried after its backoff. */
  retryAfterBackoff(info: QueuedPodInfo): void
  /** Requeues the unschedulable pods that the change may help, except the pod that caused the change. */
  onClusterChange(change: ClusterChange, causedBy?: string): void
  counts(): QueueCounts
  /** Returns every pod, in no particular order within each part. */
  pods(): Iterable<PlacedPod>
}

/** Creates an empty queue. */
export function createSchedulingQueue(options: SchedulingQueueOptions): SchedulingQueue {
  const { clock, flushAfterMs = 300_000, flushEveryMs = 30_000, onIncoming = () => {} } = options
  const { preEnqueue = () => undefined, groupHold = () => undefined, podGroupOf = () => undefined } = options
  const groups = createAttemptGroups(options.attemptGroupsOf ?? (() => []))
  const active = createActiveQueue(options.compare, groups)
  const gated = createPodTable(podGroupOf)
  const inFlight = createInFlightPods(podGroupOf)
  const poppable = createWakeSignal()
  const backoff = createBackoffQueue({
    clock,
    limits: options.backoff,
    groups,
    compare: options.compare,
    onEnded: (info) => enqueue(info, 'BackoffComplete'),
    onEarlyAvailable: () => poppable.raise(),
  })
  const unschedulable = createUnschedulablePods({
    clock,
    compare: options.compare,
    podGroupOf,
    isHelpedBy: options.isHelpedBy,
    wakeIndex: options.wakeIndex,
    indexAbove: options.indexAbove ?? INDEX_ABOVE,
    backoff,
    requeue: (info, event) => {
      requeue(info, event)
      return !gated.has(info.key)
    },
    mayStart: (key) => {
      const info = active.get(key)
      return info === undefined ? backoff.get(key) !== undefined : groups.areFree(groups.groupsOf(info.pod))
    },
  })
  /** Shares equal sets of rejectors. There are few, and each waiting pod keeps one. */
  const rejectorSets = createPool<ReadonlySet<string>>({ generationSize: 256, maxKeyLength: 4_096 })
  let flushTimer: Timer | undefined

  // As upstream, a pod keeps these times from the end of its last attempt until the end of the next one, whichever parts it passes.
  const entered = (): Pick<QueuedPodInfo, 'enteredMs' | 'queuedAtMs'> => ({
    enteredMs: clock.monotonic(),
    queuedAtMs: clock.now(),
  })

  const activate = (info: QueuedPodInfo, event: string): void => {
    active.set(info)
    onIncoming('active', event)
    poppable.raise()
  }

  const heldBackBy = (pod: Pod): string | undefined => {
    if (isGated(pod)) return SCHEDULING_GATES
    return groupHold(pod) === undefined ? preEnqueue(pod) : GANG_SCHEDULING
  }

  const hold = (info: QueuedPodInfo, plugin: string): void => {
    gated.set({ ...info, rejectors: new Set([plugin]) })
    if (plugin !== SCHEDULING_GATES) scheduleFlush()
    unschedulable.endClaim(info.key)
  }

  /** Lets a held back pod into the queue, unless a plugin still holds it back. */
  const release = (info: QueuedPodInfo, event: string): void => {
    const plugin = heldBackBy(info.pod)
    if (plugin !== undefined) return hold(info, plugin)
    gated.delete(info.key)
    enqueue(info, event)
  }

  /** Adds a pod to the gated, active or backoff part, depending on its gates and its backoff. */
  const enqueue = (info: QueuedPodInfo, event: string): void => {
    const plugin = heldBackBy(info.pod)
    if (plugin !== undefined) {
      hold(info, plugin)
      onIncoming('unschedulable', event)
    } else if (backoff.hasEnded(info)) {
      activate(info, event)
    } else {
      backoff.add(info)
      onIncoming('backoff', event)
    }
  }

  const requeue = (info: QueuedPodInfo, event: string): void => {
    unschedulable.delete(info.key)
    enqueue(info, event)
  }

  /** Regularly requeues pods that have been unschedulable for `flushAfterMs`, in case a change was missed. */
  const scheduleFlush = (): void => {
    flushTimer ??= clock.setTimer(flushEveryMs, () => {
      flushTimer = undefined
      const oldestMs = clock.monotonic() - flushAfterMs
      for (const info of unschedulable.values()) {
        if (info.enteredMs < oldestMs) requeue(info, 'UnschedulableTimeout')
      }
      const held = [...gated.values()].filter(({ pod }) => !isGated(pod))
      for (const info of held) if (info.enteredMs < oldestMs) release(info, 'UnschedulableTimeout')
      if (unschedulable.size > 0 || held.length > 0) scheduleFlush()
    })
  }

  /** Puts a pod in flight. */
  const start = (info: QueuedPodInfo): QueuedPodInfo => {
    groups.enter(info)
    const started = { ...info, firstAttemptMs: info.firstAttemptMs ?? clock.monotonic(), attempts: info.attempts + 1 }
    inFlight.start(started)
    return started
  }

  /** Takes the first pod in backoff that may be taken early and is not held back. Holds back those before it. */
  const takeEarly = (): QueuedPodInfo | undefined => {
    for (let info = backoff.popEarly(); info !== undefined; info = backoff.popEarly()) {
      const plugin = heldBackBy(info.pod)
      if (plugin === undefined) {
        onIncoming('active', 'PopFromBackoffQ')
        return info
      }
      hold(info, plugin)
    }
    return undefined
  }

  const find = (key: string): QueuedPodInfo | undefined =>
    active.get(key) ?? backoff.get(key) ?? unschedulable.get(key) ?? gated.get(key)

  return {
    add(pod) {
      const key = podUid(pod)
      if (inFlight.has(key) || find(key) !== undefined) {
        this.update(pod, true)
        return
      }
      const info = {
        key,
        pod,
        ...entered(),
        firstSeenMs: clock.monotonic(),
        attempts: 0,
        rejections: 0,
        errors: 0,
        rejectors: new Set<string>(),
      }
      enqueue(info, 'UnschedulablePodAdd')
    },
    update(pod, isRelevant) {
      const key = podUid(pod)
      if (inFlight.update(key, pod, isRelevant)) return
      const known = find(key)
      if (known === undefined) return
      const info = { ...known, pod }
      if (active.get(key) !== undefined) active.set(info)
      else if (backoff.replace(info)) return
      else if (unschedulable.has(key)) {
        if (isRelevant) requeue(info, 'UnschedulablePodUpdate')
        else unschedulable.replace(info)
      } else {
        release(info, 'UnschedulablePodUpdate')
      }
    },
    remove(pod) {
      const key = podUid(pod)
      inFlight.end(key)
      for (const place of [active, backoff, unschedulable, gated]) place.delete(key)
      unschedulable.endClaim(key)
    },
    pop() {
      const info = active.pop() ?? takeEarly()
      return info && start(info)
    },
    popPod(key) {
      const info = active.get(key) ?? backoff.get(key) ?? unschedulable.get(key)
      if (info === undefined || heldBackBy(info.pod) !== undefined) return undefined
      for (const place of [active, backoff, unschedulable]) place.delete(key)
      return start(info)
    },
    requeueGroup(group) {
      inFlight.markGroupOutdated(group)
      for (const info of gated.members(group)) if (!isGated(info.pod)) release(info, POD_GROUP_CHANGE)
      for (const info of unschedulable.members(group)) requeue(info, POD_GROUP_CHANGE)
    },
    async waitForPod(signal) {
      while (!signal.aborted && !active.hasNext() && !backoff.hasEarly()) await poppable.wait(signal)
    },
    leaveGroups(key, now) {
      if (now === 'node-chosen') unschedulable.endClaim(key)
      if (!groups.leave(key, now)) return
      backoff.onGroupFree()
      poppable.raise()
    },
    done(key) {
      inFlight.end(key)
      unschedulable.endClaim(key)
    },
    addUnschedulable(info, rejectors) {
      const flight = inFlight.end(info.key)
      if (flight === undefined) return
      const rejected: QueuedPodInfo = {
        ...info,
        pod: flight.pod ?? info.pod,
        ...entered(),
        rejections: info.rejections + 1,
        errors: 0,
        rejectors: rejectorSets.obtain(JSON.stringify([...rejectors]), () => rejectors),
      }
      const mayFitByNow = flight.isOutdated || rejectors.size === 0 || isGated(rejected.pod)
      if (mayFitByNow || flight.changes().some((change) => unschedulable.isHelpedMeanwhile(rejected, change))) {
        enqueue(rejected, ATTEMPT_FAILURE)
      } else {
        unschedulable.add(rejected)
        onIncoming('unschedulable', ATTEMPT_FAILURE)
        scheduleFlush()
      }
      unschedulable.endClaim(info.key)
    },
    retryAfterBackoff(info) {
      const flight = inFlight.end(info.key)
      if (flight === undefined) return
      const failed = {
        ...info,
        pod: flight.pod ?? info.pod,
        ...entered(),
        errors: info.errors + 1,
        rejectors: new Set<string>(),
      }
      enqueue(failed, ATTEMPT_FAILURE)
      unschedulable.endClaim(info.key)
    },
    onClusterChange(change, causedBy) {
      inFlight.record(change)
      unschedulable.onClusterChange(change, causedBy)
      for (const info of options.preEnqueue === undefined ? [] : [...gated.values()]) {
        if (!isGated(info.pod) && options.isHelpedBy(info, change)) release(info, eventLabel(change))
      }
    },
    counts: () => ({
      active: active.size,
      backoff: backoff.size,
      unschedulable: unschedulable.size,
      gated: gated.size,
      inFlight: inFlight.size,
    }),
    *pods() {
      for (const info of active.values()) yield { place: 'active', info }
      for (const info of backoff.values()) yield { place: 'backoff', info }
      for (const info of unschedulable.values()) yield { place: 'unschedulable', info }
      for (const info of gated.values()) yield { place: 'gated', info }
      for (const info of inFlight.values()) yield { place: 'inFlight', info }
    },
    [Symbol.dispose]() {
      backoff[Symbol.dispose]()
      unschedulable[Symbol.dispose]()
      flushTimer?.cancel()
    },
  }
}
