import { type BackoffLimits, pause } from '@berth/clock'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ClusterView, PodGroupView } from '@berth/cluster-view'
import { podGroupKeyOf } from '@berth/fit-engine'
import type { Cluster } from '@berth/k8s-client'
import type { Clock, DecidePlugin, Logger, Pod, Random } from '@berth/types'
import { LeaseError } from './errors.ts'
import { createPodGroups } from './groups/pod-groups.ts'
import type { AttemptContext } from './cycle/attempt.ts'
import { createBackgroundTasks } from './tasks/background-tasks.ts'
import { createTaskBudget, type TaskBudget } from './tasks/task-budget.ts'
import { createVolumeBinder } from './volumes/volume-binder.ts'
import { createWaitingPods, type WaitingPodRegistry } from './permit/waiting-pods.ts'
import { API_BINDER } from './cycle/assume-and-bind.ts'
import { isLost, releaseLostPod } from './cycle/release-lost-pod.ts'
import { defaultDeadlines, type EffectDeadlines, type WriteFence } from './binding/run-hook.ts'
import { createUnboundPods } from './binding/unbound-pods.ts'
import { createVictimEvictor } from './preemption/victim-evictor.ts'
import { type ExtenderClient, extenderGroupOf, sortByCallOrder } from './extenders/extender-client.ts'
import { handledEventLabel } from './queue/event-label.ts'
import { feedQueue, isPending } from './queue/feed-queue.ts'
import type { SchedulerMetrics } from './metrics/metric-definitions.ts'
import { createAttemptMetrics } from './metrics/attempt-metrics.ts'
import type { Profile } from '@berth/scheduler-config'
import { createOutcomeReporter } from './report/outcome-reporter.ts'
import { waitingPod } from './report/waiting-pod.ts'
import { createKubeletRejections } from './rejections/kubelet-rejections.ts'
import { createWakeIndex } from './queue/wake-ups/create-wake-index.ts'
import { type ContributedHint, createIsHelpedBy, type ReadsConfigMap } from './queue/is-helped-by.ts'
import { createPreEnqueue } from './queue/pre-enqueue.ts'
import { scheduleOne } from './cycle/schedule-one.ts'
import { createQueueOrder } from './queue/queue-order.ts'
import { schedulerNameOf } from './queue/queued-pod.ts'
import { createSchedulingQueue, defaultBackoff, type PlacedPod, type QueueCounts } from './queue/scheduling-queue.ts'

/** Options of {@link createScheduler}. */
export interface SchedulerOptions {
  readonly cluster: Pick<Cluster, 'client' | 'events'>
  readonly view: ClusterView
  readonly podGroups: PodGroupView
  readonly profiles: readonly Profile[]
  readonly extenders?: readonly ExtenderClient[]
  readonly metrics: SchedulerMetrics
  readonly backoff?: BackoffLimits
  readonly deadlines?: EffectDeadlines
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** A time during which no other replica schedules. */
export interface SchedulingTerm extends WriteFence {
  /** Monotonic time at which this process learned that it began. Default: since {@link Scheduler.run} was called. */
  readonly sinceMs?: number
}

/**
 * A scheduler. Disposing it ends the wait of pods in the permit phase without binding them, and waits up to five seconds
 * for binds in flight.
 */
export interface Scheduler extends AsyncDisposable {
  /**
   * Waits until the view contains every write before the term, then schedules until `signal` aborts. At the end, the
   * attempts whose bind has not started end, too. It may be called again, with another term.
   *
   * @param term - Withholds every write, including conditions and hooks that may write, once another replica may
   *   schedule. Default: begins now, and withholds nothing.
   */
  run(signal: AbortSignal, term?: SchedulingTerm): Promise<void>
  /** Returns why scheduling is paused; undefined when it is not. For /readyz. */
  readonly notReady: () => string | undefined
  counts(): QueueCounts
  /** Writes the counts that are kept apart from the metrics. Call it before the metrics are read. */
  flushMetrics(): void
  /** Returns the pods of the queue. */
  pods(): Iterable<PlacedPod>
  /** The pods that permit plugins delay. */
  readonly waitingPods: Pick<WaitingPodRegistry, 'list' | 'size'>
}

/** Maximum number of binds in flight, for each extender and for the plugins of each profile. */
const MAX_BINDS = 1_000
/**
 * The same for the API server, which answers 100 requests of a connection at a time. More would not be faster: they would only keep
 * memory, and a pod with a higher priority would wait for them.
 */
const MAX_API_BINDS = 128
/** Identifies the budget of the writes that bind volumes. */
const VOLUME_WRITER = 'volumes'
/** Maximum number of attempts of one profile that wait for its reserve and postFilter hooks. */
const MAX_WAITING_FOR_HOOKS = 1_000
/** Maximum time, in milliseconds, that the scheduling loop runs before it yields to the event loop. */
const MAX_TURN_MS = 4
const STALE_POLL_MS = 200
const DRAIN_MS = 5_000
const openTerm: SchedulingTerm = { mayWrite: () => true, lost: new AbortController().signal }
/** The fence before the first run. */
const closedFence: WriteFence = { mayWrite: () => false, lost: AbortSignal.abort() }

/** Creates a scheduler. Its queue is empty until `run`. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const { cluster, view, clock, random, log, extenders = [] } = options
  const abandon = new AbortController()
  /** The fence of the current run. An attempt keeps the fence of the run in which it began. */
  let currentFence = closedFence
  const mayStart = (): boolean => currentFence.mayWrite()
  const writeOptions = { clock, log, signal: abandon.signal, mayStart }
  const profiles = new Map(options.profiles.map((profile) => [profile.schedulerName, profile]))
  const profileOf = (pod: Pod): Profile | undefined => profiles.get(schedulerNameOf(pod))
  const hasProfile = (pod: Pod): boolean => profileOf(pod) !== undefined
  const holdsPodsBack = options.profiles.some(({ preEnqueue }) => preEnqueue.length > 0)
  const pluginOf = (pod: Pod, name: string): DecidePlugin | undefined =>
    profileOf(pod)?.framework.plugins.find((each) => each.plugin.name === name)?.plugin
  const contributedHint: ContributedHint = (pod, name) => {
    const plugin = pluginOf(pod, name)
    return plugin?.queueingHint?.bind(plugin)
  }
  const readsConfigMap: ReadsConfigMap = (pod, name, key) => pluginOf(pod, name)?.configMaps?.includes(key) === true
  const tasks = createBackgroundTasks((error) => log.error({ err: error }, 'Background task failed'))
  const attempts = createBackgroundTasks((error) => log.error({ err: error }, 'Scheduling attempt failed'))
  const budgets = new Map<string, TaskBudget>()
  const budgetOf = (binder: string): TaskBudget => {
    const budget = budgets.get(binder) ?? createTaskBudget(binder === API_BINDER ? MAX_API_BINDS : MAX_BINDS)
    budgets.set(binder, budget)
    return budget
  }
  const hookGroups = new Map(
    options.profiles
      .filter(({ effects }) => effects.some(({ hooks }) => (hooks.reserve ?? hooks.postFilter) !== undefined))
      .map(({ schedulerName }) => [
        schedulerName,
        { name: `profile ${schedulerName}`, limit: MAX_WAITING_FOR_HOOKS, until: 'end' } as const,
      ]),
  )
  const waitingPods = createWaitingPods(clock)
  const unboundPods = createUnboundPods(abandon.signal)
  const groups = createPodGroups({
    view,
    podGroups: options.podGroups,
    waitingPods,
    unboundPods,
    ...cluster,
    ...writeOptions,
  })
  const isHelpedBy = createIsHelpedBy(contributedHint, readsConfigMap, log)
  const queue = createSchedulingQueue({
    clock,
    attemptGroupsOf: (pod) => {
      const hooks = hookGroups.get(schedulerNameOf(pod))
      return [extenderGroupOf(extenders, pod), hooks].filter((group) => group !== undefined)
    },
    compare: createQueueOrder(options.profiles.find(({ sorter }) => sorter !== undefined)?.sorter, log),
    isHelpedBy,
    wakeIndex: createWakeIndex({ frameworkOf: (pod) => profileOf(pod)?.framework, isHelpedBy, view, log }),
    groupHold: (pod) => groups.holdReason(pod),
    podGroupOf: podGroupKeyOf,
    ...(holdsPodsBack && { preEnqueue: createPreEnqueue(profileOf, log) }),
    onIncoming: (name, event) => options.metrics.kubeIncomingPods.inc({ queue: name, event }),
    backoff: options.backoff ?? defaultBackoff,
  })
  const rejections = createKubeletRejections({
    hasProfile,
    onRejection: (reason) => {
      // A replica that waits for the Lease sees the same rejections.
      if (mayStart()) options.metrics.kubeletRejections.inc({ reason })
    },
    clock,
    log,
  })
  const metrics = createAttemptMetrics(options.metrics, clock)
  const volumes = createVolumeBinder({
    view,
    client: cluster.client,
    isLost: (pod) => isLost(pod, view),
    clock,
    signal: abandon.signal,
    budget: budgetOf(VOLUME_WRITER),
    onFailed: (operation) => metrics.volumesFailed(operation),
    onRestored: (change, podKey) => queue.onClusterChange(change, podKey),
  })
  const reporter = createOutcomeReporter({
    ...cluster,
    ...writeOptions,
    random,
    waitingPod: (pod) => waitingPod(view, pod),
  })
  const assumedNodes = new Map<string, string>()
  let isLeading = false
  const unsubscribe = view.subscribe((change) => {
    const startMs = clock.monotonic()
    rejections.observe(change)
    groups.observe(change)
    reporter.observe(change)
    // The queue calls plugins, which must not run on a replica that waits for the Lease.
    if (isLeading) feedQueue(queue, change, hasProfile)
    if (isLeading) groups.requeueAfter(change, queue)
    releaseLostPod(change, { queue, waitingPods, assumedNodes })
    metrics.eventHandled(handledEventLabel(change), clock.monotonic() - startMs)
  })
  const unsubscribeGroups = groups.subscribe((group) => {
    if (isLeading) queue.requeueGroup(group)
  })
  const evictor = createVictimEvictor({ ...cluster, view, hasProfile, waitingPods, unboundPods, ...writeOptions })
  const shared: Omit<AttemptContext, 'fence'> = {
    queue,
    view,
    client: cluster.client,
    reporter,
    evictor,
    extenders: sortByCallOrder(extenders),
    tasks,
    budgetOf,
    waitingPods,
    unboundPods,
    volumes,
    assumedNodes,
    metrics,
    rejections,
    clock,
    random,
    log,
    signal: abandon.signal,
    deadlines: options.deadlines ?? defaultDeadlines,
  }

  /** Adds the pods that wait for a node. Removes those of an earlier run that no longer do. */
  const fillQueue = (): void => {
    const queued = Array.from(queue.pods(), ({ info }) => info.pod)
    for (const pod of queued) if (isLost(pod, view)) queue.remove(pod)
    for (const pod of view.pods()) if (hasProfile(pod) && isPending(pod)) queue.add(pod)
  }
  /** Ends the attempts that may not write any more, so that they do not hold room until their waits end. */
  const endUnboundAttempts = (): void => {
    const error = new LeaseError('schedule the pod: this replica is no longer the leader', {
      code: 'BERTH_SCHEDULER_LEASE_LOST',
      retryable: true,
    })
    waitingPods.failAll(error)
    unboundPods.endAll(error)
  }
  const notReady = (): string | undefined => view.notReady()
  const waitForFreshView = async (signal: AbortSignal): Promise<void> => {
    const reason = notReady()
    if (reason === undefined) return
    log.warn({ reason }, 'Scheduling paused')
    while (!signal.aborted && notReady() !== undefined) await pause(clock, STALE_POLL_MS, signal)
    if (!signal.aborted) log.info({}, 'Scheduling resumed')
  }

  const scheduleUntil = async (signal: AbortSignal, context: AttemptContext): Promise<void> => {
    let turnStartMs = clock.monotonic()
    while (!signal.aborted) {
      await queue.waitForPod(signal)
      await waitForFreshView(signal)
      if (signal.aborted) break
      const info = queue.pop()
      if (info === undefined) continue
      const profile = profileOf(info.pod)
      if (profile === undefined) {
        queue.leaveGroups(info.key, 'end')
        queue.done(info.key)
      } else {
        const attempt = groups.schedule(info, profile, context) ?? scheduleOne(info, profile, context)
        attempts.start(() => attempt)
        // A hook that does not wait for the outside world ends within the turn, before the next pod is decided.
        await Promise.race([attempt, nextTurn()])
      }
      if (clock.monotonic() - turnStartMs < MAX_TURN_MS) continue
      await nextTurn()
      turnStartMs = clock.monotonic()
    }
  }

  return {
    async run(signal, term = openTerm) {
      currentFence = term
      await view.catchUp({ signal, sinceMs: term.sinceMs })
      groups.rebuild()
      fillQueue()
      isLeading = true
      try {
        await scheduleUntil(signal, { ...shared, fence: term })
      } finally {
        isLeading = false
        if (term.lost.aborted) endUnboundAttempts()
      }
    },
    notReady,
    counts: () => queue.counts(),
    flushMetrics: () => metrics.flush(),
    pods: () => queue.pods(),
    waitingPods,
    async [Symbol.asyncDispose]() {
      unsubscribe()
      unsubscribeGroups()
      waitingPods.close()
      volumes.close()
      const deadline = clock.setTimer(DRAIN_MS, () => abandon.abort(new Error('the scheduler is shutting down')))
      await attempts.drain(abandon.signal)
      await tasks.drain(abandon.signal)
      deadline.cancel()
      queue[Symbol.dispose]()
      abandon.abort(new Error('the scheduler is shutting down'))
      for (const extender of extenders) extender[Symbol.dispose]()
    },
  }
}
