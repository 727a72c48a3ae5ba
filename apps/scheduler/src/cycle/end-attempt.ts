import { BindingAnnotationsError } from '@berth/fit-engine'
import { EffectError } from '../errors.ts'
import { podName } from '../queue/queued-pod.ts'
import { GANG_SCHEDULING } from '../queue/rejectors.ts'
import type { FailureReason } from '../report/pod-conditions.ts'
import { waitingPod } from '../report/waiting-pod.ts'
import type { Attempt, AttemptContext } from './attempt.ts'

/**
 * Ends an attempt that failed with an error: the pod is retried after its backoff.
 *
 * @param plugin - The plugin that failed, for the log.
 */
export function failAttempt(
  attempt: Attempt,
  error: unknown,
  message: string,
  context: AttemptContext,
  plugin = error instanceof EffectError || error instanceof BindingAnnotationsError ? error.plugin : undefined,
): void {
  const { info, profile, startMs } = attempt
  const { queue, clock, metrics, log, signal, view } = context
  view.clearNomination(info.pod)
  queue.retryAfterBackoff(info)
  if (signal.aborted) return
  metrics.attempt('error', profile.schedulerName, clock.monotonic() - startMs)
  log.error(
    { err: error ?? message, ...(plugin !== undefined && { plugin }), pod: podName(info.pod), attempt: info.attempts },
    'Scheduling attempt failed',
  )
  reportFailure(attempt, { reason: 'SchedulerError', message, nominatedNodeName: '' }, context)
}

/** Ends an attempt in which a plugin's reserve, permit, preBind or bind hook rejected the pod. */
export function rejectPod(
  attempt: Attempt,
  { plugin, message }: { readonly plugin: string; readonly message: string },
  context: AttemptContext,
): void {
  const { info } = attempt
  const { queue, view } = context
  view.clearNomination(info.pod)
  const rejectors = new Set([plugin])
  countUnschedulable(attempt, rejectors, context)
  // No change of the cluster helps a member whose group did not gather in time: it is retried after its backoff.
  queue.addUnschedulable(info, plugin === GANG_SCHEDULING ? new Set() : rejectors)
  reportFailure(attempt, { reason: 'Unschedulable', message, nominatedNodeName: '' }, context)
}

/** Counts an attempt that these plugins rejected. */
export function countUnschedulable(
  { profile, startMs }: Attempt,
  rejectors: ReadonlySet<string>,
  { metrics, clock }: Pick<AttemptContext, 'metrics' | 'clock'>,
): void {
  metrics.attempt('unschedulable', profile.schedulerName, clock.monotonic() - startMs)
  metrics.rejected(rejectors)
}

/** The failure of an attempt, as the event and the pod's condition report it. */
export interface FailureReport {
  readonly reason: FailureReason
  readonly message: string
  /** '' clears the nomination; undefined leaves it unchanged. */
  readonly nominatedNodeName?: string | undefined
}

/** Reports an attempt that did not bind the pod, in the background. */
export function reportFailure(attempt: Attempt, failure: FailureReport, context: AttemptContext): void {
  context.tasks.start(() => writeFailureReport(attempt, failure, context))
}

/** Writes a failure report. Skips a pod that has been deleted or bound in the meantime. */
export async function writeFailureReport(
  { info }: Attempt,
  { reason, message, nominatedNodeName }: FailureReport,
  { view, reporter }: AttemptContext,
): Promise<void> {
  const current = waitingPod(view, info.pod)
  if (current !== undefined) await reporter.failed(current, reason, message, nominatedNodeName)
}
