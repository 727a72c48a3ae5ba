import { type Attempt, type AttemptParts, fail, report, reportNow } from './attempt.ts'
import type { Choice } from './choose-node.ts'
import { PreemptionError } from '../errors.ts'
import { planPreemption, type PreemptionPlan } from '../preemption/plan-preemption.ts'
import { type PostFilterOutcome, runPostFilters } from '../preemption/post-filter.ts'
import type { PreemptionArgs } from '../config/preemption-args.ts'
import { podName } from '../queue/queued-pod.ts'
import { UNSUPPORTED_REJECTOR } from '../queue/requeue-hints.ts'

/** A pod that fits nowhere. */
export type Rejected = Extract<Choice, { kind: 'rejected' }>

/**
 * Ends an attempt that found no node: asks the postFilter plugins, default preemption among them, makes room where
 * that helps, and parks the pod. While victims are being deleted the pod stays in flight, so that it cannot ask again.
 */
export async function reject(attempt: Attempt, choice: Rejected, parts: AttemptParts): Promise<void> {
  const { info, profile, startMs } = attempt
  const { queue, clock, metrics, log, view } = parts
  const outcome = await postFilter(attempt, choice, parts)
  metrics.attempt('unschedulable', profile.schedulerName, clock.monotonic() - startMs)
  metrics.rejected(choice.rejectors)
  log.debug({ pod: podName(info.pod), attempt: info.attempts, reason: choice.message }, 'Pod does not fit')
  if (outcome.kind === 'none') {
    if (outcome.clearsNomination) view.clearNomination(info.pod)
    queue.park(info, choice.rejectors)
    const message = outcome.message === '' ? choice.message : `${choice.message} ${outcome.message}`
    const nominatedNodeName = outcome.clearsNomination ? '' : undefined
    report(attempt, { reason: 'Unschedulable', message, nominatedNodeName }, parts)
    return
  }
  const { nodeName, victims } = outcome
  view.nominate(info.pod, nodeName)
  if (victims === undefined) {
    queue.park(info, choice.rejectors)
    report(attempt, { reason: 'Unschedulable', message: choice.message, nominatedNodeName: nodeName }, parts)
    return
  }
  parts.tasks.start(async () => {
    try {
      await reportNow(attempt, { reason: 'Unschedulable', message: choice.message, nominatedNodeName: nodeName }, parts)
      if (!parts.mayBind()) throw notLeading(attempt)
      const { schedulerName } = profile
      await parts.evictor.evict({ preemptor: info.pod, schedulerName, nodeName, victims })
      metrics.preempted(victims.length)
      queue.park(info, choice.rejectors)
    } catch (error) {
      fail(attempt, error instanceof Error ? error.message : String(error), error, parts)
    }
  })
}

async function postFilter(attempt: Attempt, choice: Rejected, parts: AttemptParts): Promise<PostFilterOutcome> {
  const { pod, info, profile } = attempt
  const { decision } = choice
  // As kube-scheduler: nothing helps a pod that is refused, nor where there is no node at all.
  const isHopeless =
    choice.rejectors.has(UNSUPPORTED_REJECTOR) || decision === undefined || decision.rejected.size === 0
  if (isHopeless) return { kind: 'none', message: '', clearsNomination: true }
  const { clock, signal, deadlines, evictor, view, extenders, random, metrics } = parts
  const plan = async (args: PreemptionArgs): Promise<PreemptionPlan> => {
    metrics.preemptionAttempt()
    if (evictor.isWaiting(info.pod)) {
      const message = 'preemption: not eligible due to a terminating pod on the nominated node.'
      return { kind: 'none', message, clearsNomination: false }
    }
    return planPreemption(profile, args, pod, decision, {
      view,
      extenders,
      nowMs: clock.now(),
      random,
      signal,
      monotonic: () => clock.monotonic(),
      observe: metrics.extenderCall,
    })
  }
  return runPostFilters(profile.effects, pod, choice.rejected, { clock, signal, deadlines, plan })
}

function notLeading({ info }: Attempt): PreemptionError {
  return new PreemptionError(`preempt for ${podName(info.pod)}: this replica is not the leader any more`, {
    code: 'BERTH_SCHEDULER_PREEMPT',
    retryable: true,
  })
}
