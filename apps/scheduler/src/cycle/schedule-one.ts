import { isOffered, unsupportedFeatures } from '@berth/fit-engine'
import { BerthError, type Pod } from '@berth/types'
import { type Attempt, type AttemptParts, fail, turnAway } from './attempt.ts'
import { bindAssumed } from '../binding/bind-assumed.ts'
import { chooseNode } from './choose-node.ts'
import { createEffects, type Effects } from '../binding/effects.ts'
import type { Profile } from '../config/profile.ts'
import { podName, type QueuedPodInfo } from '../queue/queued-pod.ts'
import { reject, type Rejected } from './reject-pod.ts'
import { UNSUPPORTED_REJECTOR } from '../queue/requeue-hints.ts'

/**
 * One attempt for one pod: choose a node, assume, reserve; permit, preBind and bind go on beside the next attempt.
 * Resolves when the next pod may be tried. Never rejects, and always gives the pod back to the queue in the end.
 *
 * @see kubernetes/kubernetes pkg/scheduler/schedule_one.go (v1.36)
 */
export async function scheduleOne(info: QueuedPodInfo, profile: Profile, parts: AttemptParts): Promise<void> {
  const { queue, view, reporter, clock, metrics } = parts
  const pod = withNomination(info.pod, view.nominatedNode(info.pod))
  const attempt: Attempt = { info, pod, profile, startMs: clock.monotonic() }
  if (pod.metadata.deletionTimestamp !== undefined) {
    void reporter.failed(pod, 'SchedulerError', `skip schedule deleting pod: ${podName(pod)}`)
    queue.done(info.key)
    return
  }
  if (view.state.isAssumed(pod)) {
    queue.done(info.key)
    return
  }
  try {
    const choice = choiceForRefused(pod, parts) ?? (await chooseNode(profile, pod, choiceInput(parts)))
    if (choice.kind === 'chosen') await assumeAndBind(attempt, choice.nodeName, parts)
    else if (choice.kind === 'rejected') await reject(attempt, choice, parts)
    else fail(attempt, choice.message, choice.cause, parts)
    if (choice.kind === 'chosen') metrics.chosen(clock.monotonic() - attempt.startMs)
  } catch (error) {
    fail(attempt, error instanceof Error ? error.message : String(error), error, parts)
  }
}

/** An assumption ends with its bind; this only bounds one whose end nobody saw. */
const ASSUMPTION_MS = 900_000

function choiceForRefused(pod: Pod, { view }: AttemptParts): Rejected | undefined {
  const features = unsupportedFeatures(pod, view.state.objects, (name) => isOffered(view.state, name))
  if (features.length === 0) return undefined
  return {
    kind: 'rejected',
    message: `the pod uses what this scheduler does not implement: ${features.join('; ')}`,
    rejectors: new Set([UNSUPPORTED_REJECTOR]),
    rejected: new Map(),
    decision: undefined,
  }
}

/** The pod with the node that this process keeps free for it, which its status may not say yet. */
function withNomination(pod: Pod, nominatedNodeName: string | undefined): Pod {
  if (nominatedNodeName === undefined || pod.status?.nominatedNodeName === nominatedNodeName) return pod
  return { ...pod, status: { ...pod.status, nominatedNodeName } }
}

function choiceInput({
  view,
  extenders,
  clock,
  random,
  signal,
  metrics,
}: AttemptParts): Parameters<typeof chooseNode>[2] {
  const meter = metrics.meter()
  return {
    ...(meter !== undefined && { meter }),
    state: view.state,
    extenders,
    nowMs: clock.now(),
    random,
    signal,
    monotonic: () => clock.monotonic(),
    observe: metrics.extenderCall,
  }
}

async function assumeAndBind(attempt: Attempt, nodeName: string, parts: AttemptParts): Promise<void> {
  const { info, profile } = attempt
  const { view, clock, signal, tasks, deadlines } = parts
  const { pod } = info
  view.assume(pod, nodeName, { expiresAfterMs: deadlines.permitMs + ASSUMPTION_MS })
  const effects = createEffects(profile.effects, { pod, nodeName, clock, signal, deadlines })
  try {
    const reserved = await effects.reserve()
    if (reserved.kind === 'rejected') {
      await release(attempt, effects, parts)
      turnAway(attempt, reserved, parts)
      tellRoom(attempt, nodeName, parts)
      return
    }
  } catch (error) {
    await release(attempt, effects, parts)
    tellRoom(attempt, nodeName, parts)
    throw error
  }
  tasks.start(() => finishBinding(attempt, nodeName, effects, parts))
}

/** Gives everything back that the attempt took. */
async function release({ info }: Attempt, effects: Effects, { view }: AttemptParts): Promise<void> {
  await effects.unreserve()
  view.forget(info.pod)
}

/** Tells waiting pods, all but this one, that there is room again. */
function tellRoom({ info }: Attempt, nodeName: string, { queue }: AttemptParts): void {
  const pod = { ...info.pod, spec: { ...info.pod.spec, nodeName } }
  queue.observe({ kind: 'pod-deleted', pod }, info.key)
}

async function finishBinding(attempt: Attempt, nodeName: string, effects: Effects, parts: AttemptParts): Promise<void> {
  const { info, profile, startMs } = attempt
  const { queue, clock, metrics, log, reporter } = parts
  const end = await bindAssumed(info.pod, nodeName, effects, {
    client: parts.client,
    extenders: parts.extenders,
    clock,
    signal: parts.signal,
    mayBind: parts.mayBind,
    monotonic: () => clock.monotonic(),
    observe: metrics.extenderCall,
    onOutcome: (kind, durationMs) => metrics.bind(kind, durationMs),
  })
  switch (end.kind) {
    case 'bound':
      queue.done(info.key)
      metrics.attempt('scheduled', profile.schedulerName, clock.monotonic() - startMs)
      metrics.scheduled(clock.monotonic() - info.firstSeenMs, info.attempts)
      log.debug({ pod: podName(info.pod), node: nodeName, attempt: info.attempts }, 'Pod bound')
      reporter.scheduled(info.pod, nodeName)
      await effects.postBind()
      return
    case 'gone':
      await release(attempt, effects, parts)
      queue.done(info.key)
      tellRoom(attempt, nodeName, parts)
      return
    case 'rejected':
      await release(attempt, effects, parts)
      turnAway(attempt, end, parts)
      tellRoom(attempt, nodeName, parts)
      return
    case 'conflict':
    case 'unknown':
    case 'failed': {
      // At shutdown nobody decides any more, and the bind may have happened: the room stays taken.
      if (!parts.signal.aborted) await release(attempt, effects, parts)
      const message =
        end.error instanceof BerthError || end.error instanceof Error ? end.error.message : String(end.error)
      fail(attempt, message, end.error, parts)
      tellRoom(attempt, nodeName, parts)
    }
  }
}
