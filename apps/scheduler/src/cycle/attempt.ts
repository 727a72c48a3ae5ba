import type { ClusterView } from '@berth/cluster-view'
import type { ApiClient } from '@berth/k8s-client'
import type { Clock, Logger, Pod, Random } from '@berth/types'
import type { ExtenderObserver } from '../extenders/ask-extenders.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import type { EffectDeadlines } from '../binding/effects.ts'
import type { Evictor } from '../preemption/evict-victims.ts'
import type { ExtenderClient } from '../extenders/extender-client.ts'
import type { AttemptObserver } from '../metrics/observe-metrics.ts'
import type { Profile } from '../config/profile.ts'
import { podName, type QueuedPodInfo } from '../queue/queued-pod.ts'
import type { FailureReason, OutcomeReporter } from '../report/report-outcome.ts'
import type { SchedulingQueue } from '../queue/scheduling-queue.ts'

/** What attempts work with. */
export interface AttemptParts {
  readonly queue: SchedulingQueue
  readonly view: ClusterView
  readonly client: ApiClient
  readonly reporter: OutcomeReporter
  readonly evictor: Evictor
  readonly extenders: readonly ExtenderClient[]
  readonly tasks: BackgroundTasks
  readonly metrics: AttemptObserver & { readonly extenderCall: ExtenderObserver }
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Aborted when calls that are under way are to be given up. */
  readonly signal: AbortSignal
  readonly mayBind: () => boolean
  readonly deadlines: EffectDeadlines
}

/** One attempt for one pod. */
export interface Attempt {
  readonly info: QueuedPodInfo
  /** The pod, with the node that this process keeps free for it. */
  readonly pod: Pod
  readonly profile: Profile
  readonly startMs: number
}

/** Ends an attempt that broke: the pod is tried again after a while. */
export function fail(attempt: Attempt, message: string, error: unknown, parts: AttemptParts): void {
  const { info, profile, startMs } = attempt
  const { queue, clock, metrics, log, signal, view } = parts
  view.clearNomination(info.pod)
  queue.retry(info)
  if (signal.aborted) return
  metrics.attempt('error', profile.schedulerName, clock.monotonic() - startMs)
  log.error({ err: error ?? message, pod: podName(info.pod), attempt: info.attempts }, 'Scheduling attempt failed')
  report(attempt, { reason: 'SchedulerError', message, nominatedNodeName: '' }, parts)
}

/** Ends an attempt in which an effect hook turned the pod away. */
export function turnAway(
  attempt: Attempt,
  { plugin, message }: { readonly plugin: string; readonly message: string },
  parts: AttemptParts,
): void {
  const { info, profile, startMs } = attempt
  const { queue, clock, metrics, view } = parts
  view.clearNomination(info.pod)
  metrics.attempt('unschedulable', profile.schedulerName, clock.monotonic() - startMs)
  const rejectors = new Set([plugin])
  metrics.rejected(rejectors)
  queue.park(info, rejectors)
  report(attempt, { reason: 'Unschedulable', message, nominatedNodeName: '' }, parts)
}

/** What is told of an attempt that did not bind. */
export interface FailureReport {
  readonly reason: FailureReason
  readonly message: string
  /** '' takes a nomination back, undefined leaves it as it is. */
  readonly nominatedNodeName?: string | undefined
}

/** Tells of an attempt that did not bind, in the background. */
export function report(attempt: Attempt, told: FailureReport, parts: AttemptParts): void {
  parts.tasks.start(() => reportNow(attempt, told, parts))
}

/** The same, and resolves when it is written. Nothing is told of a pod that is gone or bound by now. */
export async function reportNow({ info }: Attempt, told: FailureReport, parts: AttemptParts): Promise<void> {
  const current = parts.view.pod(podName(info.pod))
  if (current === undefined || current.metadata.uid !== info.pod.metadata.uid) return
  if ((current.spec.nodeName ?? '') !== '') return
  await parts.reporter.failed(current, told.reason, told.message, told.nominatedNodeName)
}
