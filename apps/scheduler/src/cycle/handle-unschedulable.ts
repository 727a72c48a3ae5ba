import { errorText } from '@berth/text/error-text'
import type { ClusterState } from '@berth/fit-engine'
import type { Pod } from '@berth/types'
import { PreemptionError } from '../errors.ts'
import type { PreemptionArgs } from '@berth/fit-engine'
import { planPreemption, type PreemptionPlan } from '../preemption/plan-preemption.ts'
import { type PostFilterOutcome, runPostFilters } from '../preemption/run-post-filters.ts'
import { podName } from '../queue/queued-pod.ts'
import { UNSUPPORTED_REJECTOR } from '../queue/rejectors.ts'
import { type Attempt, type AttemptContext, extenderCallContext } from './attempt.ts'
import type { Choice } from './choose-node.ts'
import { countUnschedulable, failAttempt, reportFailure, writeFailureReport } from './end-attempt.ts'
import { isLost } from './release-lost-pod.ts'

/** A choice that found no node. */
export type UnschedulableChoice = Extract<Choice, { kind: 'rejected' }>

/**
 * Ends an attempt that found no node: runs the postFilter plugins, default preemption among them, and marks the pod
 * unschedulable. While victims are being deleted the pod stays in flight, so that it cannot preempt twice.
 */
export async function handleUnschedulable(
  attempt: Attempt,
  choice: UnschedulableChoice,
  context: AttemptContext,
): Promise<void> {
  const { info } = attempt
  const { queue, log, view } = context
  const outcome = await postFilter(attempt, choice, context)
  if (isLost(info.pod, view)) {
    queue.done(info.key)
    return
  }
  countUnschedulable(attempt, choice.rejectors, context)
  log.debug({ pod: podName(info.pod), attempt: info.attempts, reason: choice.message }, 'Pod does not fit')
  if (outcome.kind === 'none') {
    if (outcome.clearsNomination) view.clearNomination(info.pod)
    queue.addUnschedulable(info, choice.rejectors)
    const message = outcome.message === '' ? choice.message : `${choice.message} ${outcome.message}`
    const nominatedNodeName = outcome.clearsNomination ? '' : undefined
    reportFailure(attempt, { reason: 'Unschedulable', message, nominatedNodeName }, context)
    return
  }
  const { nodeName, victims } = outcome
  const failure = { reason: 'Unschedulable', message: choice.message, nominatedNodeName: nodeName } as const
  if (view.nominatedNode(info.pod) !== nodeName) view.nominate(info.pod, nodeName)
  if (victims === undefined) {
    queue.addUnschedulable(info, choice.rejectors)
    reportFailure(attempt, failure, context)
    return
  }
  context.tasks.start(async () => {
    try {
      await writeFailureReport(attempt, failure, context)
      await evictVictims(attempt, { nodeName, victims }, context)
      queue.addUnschedulable(info, choice.rejectors)
    } catch (error) {
      failAttempt(attempt, error, errorText(error), context)
    }
  })
}

/**
 * Runs the postFilter plugins.
 *
 * @param state - The state on which default preemption looks for victims; by default that of the view.
 */
export async function postFilter(
  attempt: Attempt,
  choice: UnschedulableChoice,
  context: AttemptContext,
  state: ClusterState = context.view.state,
): Promise<PostFilterOutcome> {
  const { pod, info, profile } = attempt
  const { decision } = choice
  // As in kube-scheduler, postFilter does not run for a pod with unsupported features, or when there are no nodes.
  const skipsPostFilter =
    choice.rejectors.has(UNSUPPORTED_REJECTOR) || decision === undefined || decision.rejectionGroups.length === 0
  if (skipsPostFilter) return { kind: 'none', message: '', clearsNomination: true }
  const { clock, signal, deadlines, fence, waitingPods, evictor, view, extenders, random, metrics } = context
  const plan = async (args: PreemptionArgs): Promise<PreemptionPlan> => {
    metrics.preemptionAttempt()
    if (evictor.isWaitingForVictims(info.pod)) {
      const message = 'preemption: not eligible due to a terminating pod on the nominated node.'
      return { kind: 'none', message, clearsNomination: false }
    }
    const planned = await planPreemption(profile, args, pod, decision, {
      ...extenderCallContext(context),
      view: { state },
      extenders,
      nowMs: clock.now(),
      random,
    })
    // Nothing is awaited between the plan and this, so that the next preemptor sees that the room is taken.
    if (planned.kind === 'evict' && state === view.state && !isLost(info.pod, view)) {
      view.nominate(info.pod, planned.nodeName)
    }
    return planned
  }
  const startMs = clock.monotonic()
  const outcome = await runPostFilters(profile.effects, pod, choice.rejected, {
    clock,
    signal,
    deadlines,
    fence,
    waitingPods,
    plan,
  })
  const status = outcome.kind === 'nominated' ? 'Success' : 'Unschedulable'
  metrics.extensionPoint('PostFilter', status, profile.schedulerName, clock.monotonic() - startMs)
  return outcome
}

/**
 * Deletes the victims of a preemption and counts them.
 *
 * @throws PreemptionError BERTH_SCHEDULER_PREEMPT when a victim could not be deleted, or another replica may schedule.
 */
export async function evictVictims(
  attempt: Attempt,
  { nodeName, victims }: { readonly nodeName: string; readonly victims: readonly Pod[] },
  { fence, evictor, metrics }: Pick<AttemptContext, 'fence' | 'evictor' | 'metrics'>,
): Promise<void> {
  if (!fence.mayWrite()) throw notLeading(attempt)
  const { schedulerName } = attempt.profile
  await evictor.evict({ preemptor: attempt.info.pod, schedulerName, nodeName, victims, mayWrite: fence.mayWrite })
  metrics.preempted(victims.length)
}

function notLeading({ info }: Attempt): PreemptionError {
  return new PreemptionError(`preempt for ${podName(info.pod)}: this replica is no longer the leader`, {
    code: 'BERTH_SCHEDULER_PREEMPT',
    retryable: true,
  })
}
