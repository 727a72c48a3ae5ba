import { createBackoff, pause } from '@berth/clock'
import type { ClusterChange } from '@berth/cluster-view'
import { type ApiClient, ApiError, type EventRecorder, isApiStatus, resourceRefs } from '@berth/k8s-client'
import type { Clock, Logger, Pod, Random } from '@berth/types'
import { podName, podUid, schedulerNameOf } from '../queue/queued-pod.ts'
import { createTaskBudget } from '../tasks/task-budget.ts'
import { type FailureReason, podScheduledFalse } from './pod-conditions.ts'
import { podReference } from './pod-reference.ts'
import { createRecentWrites } from './recent-writes.ts'

/** Reports how attempts ended: through events, and the condition PodScheduled. */
export interface OutcomeReporter {
  /**
   * Records that the pod is bound. Resolves when there is room for the next event, so that the caller does not bind pods
   * faster than events can be written. Never rejects.
   */
  scheduled(pod: Pod, nodeName: string): Promise<void>
  /**
   * Writes the condition and the nomination only when they change. While the previous report about the pod is not written,
   * only the newest one is kept. A write that fails is repeated for some seconds: a pod that nothing wakes would have no reason for
   * minutes. Resolves when the pod's reports are written, given up, or replaced by a nomination. Never rejects.
   *
   * @param nominatedNodeName - '' clears the nomination; undefined leaves it unchanged. A node name is written at once,
   *   before binds and earlier reports, because evictions wait for it.
   */
  failed(pod: Pod, reason: FailureReason, message: string, nominatedNodeName?: string): Promise<void>
  /** Forgets what was written about a pod once the watch delivers it. Call it with every change of the cluster. */
  observe(change: ClusterChange): void
}

/** Options of {@link createOutcomeReporter}. */
export interface OutcomeReporterOptions {
  readonly client: ApiClient
  readonly events: EventRecorder
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly signal: AbortSignal
  /** Returns the newest version that the watch delivered of a pod that waits to be bound; undefined when it is bound or gone. */
  readonly waitingPod: (pod: Pod) => Pod | undefined
  /** Called right before each write about a pod that is not bound: false once another replica may schedule. */
  readonly mayStart: () => boolean
}

/** Maximum number of conditions without a nomination in flight. Reports do not use the budget of binds. */
const MAX_REPORTS = 100
/** Writes of one report, with 1 to 8 s between them. Evictions wait for a nomination, so it is written once. */
const MAX_WRITES = 5
const RETRIES = { initialMs: 1_000, maxMs: 8_000, jitter: 0.5, resetAfterMs: Infinity }

interface Report {
  readonly pod: Pod
  readonly reason: FailureReason
  readonly message: string
  readonly nominatedNodeName: string | undefined
}

interface PodReports {
  readonly isUrgent: boolean
  next: Report | undefined
  written: Promise<void>
}

/** Creates a reporter. */
export function createOutcomeReporter(options: OutcomeReporterOptions): OutcomeReporter {
  const { client, events, clock, random, log, signal, waitingPod, mayStart } = options
  const budget = createTaskBudget(MAX_REPORTS)
  const reportsByPod = new Map<string, PodReports>()
  const recent = createRecentWrites<Pick<Pod, 'metadata' | 'status'>>()

  const writeAll = async (key: string, reports: PodReports): Promise<void> => {
    const isCurrent = (): boolean => reportsByPod.get(key) === reports
    const release = reports.isUrgent ? () => {} : await budget.acquire(signal).catch(() => undefined)
    if (release !== undefined) {
      for (let report = reports.next; report !== undefined && isCurrent(); report = reports.next) {
        reports.next = undefined
        await writeRepeatedly(report, reports, isCurrent)
      }
    }
    if (isCurrent()) reportsByPod.delete(key)
    release?.()
  }

  const writeRepeatedly = async (report: Report, reports: PodReports, isCurrent: () => boolean): Promise<void> => {
    const backoff = createBackoff({ ...RETRIES, clock, random })
    for (let writes = 1; !(await write(report, isCurrent)); writes++) {
      if (reports.isUrgent || writes === MAX_WRITES) return
      await pause(clock, backoff.next(), signal)
      if (signal.aborted || reports.next !== undefined || !isCurrent() || waitingPod(report.pod) === undefined) return
    }
  }

  /** Returns false when the write failed and may be repeated. */
  const write = async (report: Report, isCurrent: () => boolean): Promise<boolean> => {
    const { pod, reason, message, nominatedNodeName } = report
    const key = podUid(pod)
    // The report may have waited for an earlier one, which the watch has delivered since.
    const current = recent.newest(key, waitingPod(pod) ?? pod)
    const condition = podScheduledFalse(current ?? { metadata: pod.metadata }, { reason, message, nowMs: clock.now() })
    const isNominated =
      nominatedNodeName !== undefined &&
      (current === undefined || nominatedNodeName !== (current.status?.nominatedNodeName ?? ''))
    if (condition === undefined && !isNominated) return true
    const status = {
      ...(condition !== undefined && { conditions: [condition] }),
      ...(isNominated && { nominatedNodeName: nominatedNodeName === '' ? null : nominatedNodeName }),
    }
    const { name = '', namespace, uid } = pod.metadata
    try {
      const written = await client.patch<Pod>(
        resourceRefs.pods,
        { namespace, name },
        { ...(uid !== undefined && { metadata: { uid } }), status },
        {
          type: 'strategic',
          subresource: 'status',
          priority: isNomination(report) ? 'urgent' : 'low',
          signal,
          mayStart: () => isCurrent() && mayStart(),
        },
      )
      recent.wrote(key, reportedPart(written))
      const delivered = waitingPod(pod)
      if (delivered !== undefined) recent.delivered(key, delivered)
      return true
    } catch (error) {
      const isGone = isApiStatus(error, 404) || isApiStatus(error, 409)
      if (isGone) return true
      recent.failed(key, error)
      if (signal.aborted || !isCurrent()) return true
      log.warn({ err: error, pod: podName(pod) }, 'Pod condition could not be written')
      return error instanceof ApiError && error.status < 500 && error.status !== 429
    }
  }

  return {
    scheduled(pod, nodeName) {
      // A report of an earlier attempt must not replace the condition of a pod that is bound.
      reportsByPod.delete(podUid(pod))
      events.record({
        regarding: podReference(pod),
        type: 'Normal',
        reason: 'Scheduled',
        action: 'Binding',
        note: `Successfully assigned ${podName(pod)} to ${nodeName}`,
        // As in kube-scheduler, events have the name of the profile and not of the program.
        controller: schedulerNameOf(pod),
        delivery: 'each',
      })
      return events.waitForRoom(signal)
    },
    async failed(pod, reason, message, nominatedNodeName) {
      events.record({
        regarding: podReference(pod),
        type: 'Warning',
        reason: 'FailedScheduling',
        action: 'Scheduling',
        note: message,
        mayStart,
        controller: schedulerNameOf(pod),
      })
      // A pod that is being deleted needs no condition.
      if (pod.metadata.deletionTimestamp !== undefined) return
      const key = podUid(pod)
      const isUrgent = isNomination({ nominatedNodeName })
      const known = isUrgent ? undefined : reportsByPod.get(key)
      const reports: PodReports = known ?? { isUrgent, next: undefined, written: Promise.resolve() }
      const report = { pod, reason, message, nominatedNodeName: nominatedNodeName ?? reports.next?.nominatedNodeName }
      reports.next = report
      if (known === undefined) {
        reportsByPod.set(key, reports)
        reports.written = writeAll(key, reports)
      }
      await reports.written
    },
    observe(change) {
      if (change.kind === 'pod-updated') recent.delivered(podUid(change.pod), change.pod)
      else if (change.kind === 'pod-deleted') recent.forget(podUid(change.pod))
    },
  }
}

const isNomination = ({ nominatedNodeName = '' }: Pick<Report, 'nominatedNodeName'>): boolean =>
  nominatedNodeName !== ''

/** Returns what reports change, and the versions. The whole pod is not kept. */
function reportedPart({ metadata, status }: Pick<Pod, 'metadata' | 'status'>): Pick<Pod, 'metadata' | 'status'> {
  const { resourceVersion, generation } = metadata
  const { conditions, nominatedNodeName } = status ?? {}
  return {
    metadata: {
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(generation !== undefined && { generation }),
    },
    status: {
      ...(conditions !== undefined && { conditions }),
      ...(nominatedNodeName !== undefined && { nominatedNodeName }),
    },
  }
}
