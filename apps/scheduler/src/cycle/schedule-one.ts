import { errorText } from '@berth/text/error-text'
import { isOffered, unsupportedFeatures } from '@berth/fit-engine'
import type { Pod } from '@berth/types'
import { type Profile, VOLUME_BINDING } from '@berth/scheduler-config'
import { podName, type QueuedPodInfo } from '../queue/queued-pod.ts'
import { HUNG_REJECTOR, UNSUPPORTED_REJECTOR } from '../queue/rejectors.ts'
import { hungConditionType, hungPlugins } from '../watchdog/hung-condition.ts'
import { assume, reserveAndBind } from './assume-and-bind.ts'
import { type Attempt, type AttemptContext, extenderCallContext } from './attempt.ts'
import { type Choice, chooseNode, type ChooseNodeOptions } from './choose-node.ts'
import { failAttempt } from './end-attempt.ts'
import { handleUnschedulable, type UnschedulableChoice } from './handle-unschedulable.ts'

/**
 * Makes one attempt to schedule one pod: chooses a node, assumes the pod there and runs the reserve hooks. permit,
 * preBind and bind continue in the background. Never rejects. When the attempt ends, the queue no longer counts the pod
 * as in flight. Attempts may overlap: an attempt that waits for an extender or a hook does not delay the next pod.
 *
 * @see kubernetes/kubernetes pkg/scheduler/schedule_one.go (v1.36)
 */
export async function scheduleOne(info: QueuedPodInfo, profile: Profile, context: AttemptContext): Promise<void> {
  const { queue, view, reporter, clock, metrics } = context
  const attempt = beginAttempt(info, profile, context)
  const { pod } = attempt
  try {
    if (pod.metadata.deletionTimestamp !== undefined) {
      void reporter.failed(pod, 'SchedulerError', `skip schedule deleting pod: ${podName(pod)}`)
      queue.done(info.key)
      return
    }
    if (view.state.isAssumed(pod)) {
      queue.done(info.key)
      return
    }
    const choice = await choose(attempt, context, viewTarget(attempt, context))
    if (choice.kind !== 'rejected') queue.leaveGroups(info.key, 'node-chosen')
    if (choice.kind === 'chosen') await reserveAndBind(attempt, choice.nodeName, context)
    else if (choice.kind === 'rejected') await handleUnschedulable(attempt, choice, context)
    else if (choice.kind === 'abandoned') queue.done(info.key)
    else failAttempt(attempt, choice.cause, choice.message, context, choice.plugin)
    if (choice.kind === 'chosen') metrics.nodeChosen(clock.monotonic() - attempt.startMs)
  } catch (error) {
    failAttempt(attempt, error, errorText(error), context)
  } finally {
    queue.leaveGroups(info.key, 'end')
  }
}

/** Begins an attempt: its pod carries the nomination of this process. */
export function beginAttempt(info: QueuedPodInfo, profile: Profile, { view, clock }: AttemptContext): Attempt {
  const pod = withNomination(info.pod, view.nominatedNode(info.pod))
  return { info, pod, profile, startMs: clock.monotonic() }
}

/** Returns the pod with the nomination of this process in its status. */
function withNomination(pod: Pod, nominatedNodeName: string | undefined): Pod {
  if (nominatedNodeName === undefined || pod.status?.nominatedNodeName === nominatedNodeName) return pod
  return { ...pod, status: { ...pod.status, nominatedNodeName } }
}

/** Rejects a pod that uses features that are not implemented. Returns undefined for every other pod. */
function rejectUnsupported(pod: Pod, { view }: AttemptContext): UnschedulableChoice | undefined {
  const features = unsupportedFeatures(pod, view.state.objects, (name) => isOffered(view.state, name))
  if (features.length === 0) return undefined
  return {
    kind: 'rejected',
    message: `the pod uses features that this scheduler does not implement: ${features.join('; ')}`,
    rejectors: new Set([UNSUPPORTED_REJECTOR]),
    rejected: () => new Map(),
    decision: undefined,
  }
}

const statusByChoice = { chosen: 'Success', abandoned: 'Success', rejected: 'Unschedulable', failed: 'Error' } as const

/** Rejects a pod for which a plugin of the profile did not return. Returns undefined for every other pod. */
function rejectForHungPlugin({ pod, profile }: Attempt): UnschedulableChoice | undefined {
  const hung = hungPlugins(pod)
  if (hung.length === 0) return undefined
  const isUsed = (name: string): boolean =>
    [...profile.framework.plugins.map(({ plugin }) => plugin), ...profile.effects].some(
      (plugin) => plugin.name === name,
    )
  const plugin = hung.find(isUsed)
  if (plugin === undefined) return undefined
  return {
    kind: 'rejected',
    message: `plugin ${plugin} did not return for this pod: fix the plugin, then remove the condition ${hungConditionType(plugin)} of the pod, or recreate the pod`,
    rejectors: new Set([HUNG_REJECTOR]),
    rejected: () => new Map(),
    decision: undefined,
  }
}

/** The state on which a node is chosen, and how the pod takes room there. */
export type ChoiceTarget = Pick<ChooseNodeOptions, 'state' | 'assume'>

function viewTarget(attempt: Attempt, context: AttemptContext): ChoiceTarget {
  return { state: context.view.state, assume: (nodeName) => assume(attempt, nodeName, context) }
}

/**
 * Chooses a node for the pod. Rejects it first if it uses an unsupported feature, or if a plugin did not return for it
 * earlier.
 */
export async function choose(attempt: Attempt, context: AttemptContext, target: ChoiceTarget): Promise<Choice> {
  return (
    rejectUnsupported(attempt.pod, context) ??
    rejectForHungPlugin(attempt) ??
    chooseAmongNodes(attempt, context, target)
  )
}

async function chooseAmongNodes(attempt: Attempt, context: AttemptContext, target: ChoiceTarget): Promise<Choice> {
  const { profile, pod } = attempt
  const { extenders, clock, random, metrics, rejections } = context
  const meter = metrics.nextHookMeter(profile.schedulerName)
  const choice = await chooseNode(profile, pod, {
    ...extenderCallContext(context),
    ...(meter !== undefined && { meter }),
    evaluations: metrics.evaluations(profile.schedulerName),
    avoided: rejections.nodesToAvoid(pod),
    ...target,
    extenders,
    nowMs: clock.now(),
    random,
  })
  meter?.end(statusByChoice[choice.kind])
  if (choice.kind === 'failed' && choice.plugin === VOLUME_BINDING && choice.point === 'Filter') {
    metrics.volumesFailed('predicate')
  }
  return choice
}
