import { annotateForBinding } from '@berth/fit-engine'
import { errorText } from '@berth/text/error-text'
import { bindAssumed } from '../binding/bind-assumed.ts'
import { createEffectRunner, type EffectRunner } from '../binding/effect-runner.ts'
import type { UnboundPod } from '../binding/unbound-pods.ts'
import { measureEffects } from '../metrics/measure-effects.ts'
import { podName } from '../queue/queued-pod.ts'
import type { GroupBarrier } from '../permit/group-barrier.ts'
import { type Attempt, type AttemptContext, extenderCallContext } from './attempt.ts'
import { failAttempt, rejectPod } from './end-attempt.ts'
import { withVolumes } from '../volumes/with-volumes.ts'
import { isLost } from './release-lost-pod.ts'

/** Dependencies of {@link assume}. */
export type AssumeContext = Pick<AttemptContext, 'view' | 'assumedNodes' | 'volumes' | 'clock' | 'random'>

/**
 * Counts the pod, with the annotations that plugins give it for the node, and its volumes on the node until it is seen
 * bound, or the assumption is undone. As in kube-scheduler, the assumption does not expire: the bind may wait long for
 * its turn.
 *
 * @returns False for a pod that was deleted or bound while its node was chosen; it is not counted.
 * @throws EffectError BERTH_SCHEDULER_VOLUMES when its volumes are no longer free.
 * @throws BindingAnnotationsError when a plugin cannot give the annotations.
 */
export function assume(attempt: Attempt, nodeName: string, context: AssumeContext): boolean {
  const { info, profile } = attempt
  const { view, assumedNodes, volumes, clock, random } = context
  if (isLost(info.pod, view)) return false
  const input = { nowMs: clock.now(), random }
  const { pod, annotations } = annotateForBinding(profile.framework, view.state, info.pod, nodeName, input)
  volumes.reserve(info.pod, nodeName, profile)
  try {
    view.assume(pod, nodeName, { expiresAfterMs: Infinity })
  } catch (error) {
    volumes.release(info.pod)
    throw error
  }
  assumedNodes.set(info.key, nodeName)
  attempt.bindingAnnotations = annotations
  return true
}

/**
 * Runs the reserve hooks for an assumed pod; the rest of the binding continues in the background.
 *
 * @param gang - The barrier that the pod has joined and waits at, for a member of a gang.
 * @throws EffectError BERTH_SCHEDULER_EFFECT when a reserve hook fails; the assumption is forgotten.
 */
export async function reserveAndBind(
  attempt: Attempt,
  nodeName: string,
  context: AttemptContext,
  gang?: GroupBarrier,
): Promise<void> {
  const { info, profile } = attempt
  const { clock, signal, tasks, deadlines, fence, waitingPods } = context
  // The assumed pod has the annotations of its Binding, so that every hook sees them.
  const pod = context.view.state.placementOf(info.pod)?.pod ?? info.pod
  const unbound = context.unboundPods.enter(info.key)
  const runner = createEffectRunner(profile.effects, {
    pod,
    nodeName,
    clock,
    signal,
    ended: unbound.ended,
    deadlines,
    fence,
    waitingPods,
  })
  const effects = measureEffects(withVolumes(runner, { pod, volumes: context.volumes, ended: unbound.ended, fence }), {
    metrics: context.metrics,
    profile: profile.schedulerName,
    hasPermit: profile.effects.some(({ hooks }) => hooks.permit !== undefined),
    monotonic: () => clock.monotonic(),
  })
  try {
    const reserved = await effects.reserve()
    if (reserved.kind === 'rejected') {
      unbound.leave()
      await undoAssumption(attempt, effects, context)
      gang?.leave(pod)
      rejectPod(attempt, reserved, context)
      requeueForFreedRoom(attempt, nodeName, context)
      return
    }
  } catch (error) {
    unbound.leave()
    await undoAssumption(attempt, effects, context)
    gang?.leave(pod)
    requeueForFreedRoom(attempt, nodeName, context)
    throw error
  }
  tasks.start(async () => {
    const endTask = context.metrics.task('binding')
    try {
      await bindAndFinish(attempt, nodeName, { effects, unbound, gang }, context)
    } finally {
      endTask()
    }
  })
}

async function bindAndFinish(
  attempt: Attempt,
  nodeName: string,
  {
    effects,
    unbound,
    gang,
  }: {
    readonly effects: EffectRunner
    readonly unbound: UnboundPod
    readonly gang: GroupBarrier | undefined
  },
  context: AttemptContext,
): Promise<void> {
  const { info, profile, startMs, bindingAnnotations } = attempt
  const { client, extenders, fence, queue, clock, metrics, log, reporter } = context
  const result = await bindAssumed(info.pod, nodeName, effects, {
    ...extenderCallContext(context),
    client,
    extenders,
    clock,
    log,
    mayWrite: fence.mayWrite,
    lost: fence.lost,
    ...(bindingAnnotations !== undefined && { annotations: bindingAnnotations }),
    ...(gang !== undefined && { awaitGroup: () => gang.arrive(info.pod, nodeName) }),
    isLost: () => isLost(info.pod, context.view),
    onOutcome: (outcome, durationMs) => {
      metrics.bind(outcome, durationMs)
      metrics.extensionPoint('Bind', outcome === 'bound' ? 'Success' : 'Error', profile.schedulerName, durationMs)
    },
    unbound,
    budget: context.budgetOf(binderOf(attempt, context)),
    // The next bind starts only when the events keep up.
    onBound: () => reporter.scheduled(info.pod, nodeName),
  })
  unbound.leave()
  if (result.kind !== 'bound') gang?.leave(info.pod)
  switch (result.kind) {
    case 'bound':
      queue.done(info.key)
      metrics.attempt('scheduled', profile.schedulerName, clock.monotonic() - startMs)
      metrics.scheduled(info)
      log.debug({ pod: podName(info.pod), node: nodeName, attempt: info.attempts }, 'Pod bound')
      await effects.postBind()
      return
    case 'abandoned':
    case 'gone':
      await undoAssumption(attempt, effects, context)
      queue.done(info.key)
      break
    case 'rejected':
      await undoAssumption(attempt, effects, context)
      rejectPod(attempt, result, context)
      break
    case 'conflict':
    case 'unknown':
    case 'failed': {
      const { error } = result
      // At shutdown the pod is not read again, so the bind may have happened: its room stays taken.
      if (!context.signal.aborted) await undoAssumption(attempt, effects, context)
      failAttempt(attempt, error, errorText(error), context)
    }
  }
  requeueForFreedRoom(attempt, nodeName, context)
}

/** The binder of pods that neither an extender nor a plugin binds. */
export const API_BINDER = ''

/** Identifies the binder that is tried first. A binder that hangs delays only the pods that it binds. */
function binderOf({ info, profile }: Attempt, { extenders }: AttemptContext): string {
  const extender = extenders.find((each) => each.hasBind && each.isInterestedIn(info.pod))
  if (extender !== undefined) return `extender ${extender.url}`
  const isBoundByPlugin = profile.effects.some(({ hooks }) => hooks.bind !== undefined)
  return isBoundByPlugin ? `plugins of ${profile.schedulerName}` : API_BINDER
}

/** Runs the unreserve hooks and forgets the assumption. */
async function undoAssumption({ info }: Attempt, effects: EffectRunner, context: AttemptContext): Promise<void> {
  await effects.unreserve()
  context.view.forget(info.pod)
  context.assumedNodes.delete(info.key)
}

/** Requeues the other unschedulable pods that may fit now, because this pod no longer takes room on the node. */
function requeueForFreedRoom({ info }: Attempt, nodeName: string, { queue }: AttemptContext): void {
  const pod = { ...info.pod, spec: { ...info.pod.spec, nodeName } }
  queue.onClusterChange({ kind: 'pod-deleted', pod }, info.key)
}
