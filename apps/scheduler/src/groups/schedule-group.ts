import { unsupportedGroupMessage } from '@berth/fit-engine'
import type { Profile } from '@berth/scheduler-config'
import { errorText } from '@berth/text/error-text'
import type { PodGroup, PodGroupRef } from '@berth/types'
import { reserveAndBind } from '../cycle/assume-and-bind.ts'
import type { Attempt, AttemptContext } from '../cycle/attempt.ts'
import { countUnschedulable, failAttempt, reportFailure, writeFailureReport } from '../cycle/end-attempt.ts'
import { evictVictims } from '../cycle/handle-unschedulable.ts'
import { isLost } from '../cycle/release-lost-pod.ts'
import { beginAttempt } from '../cycle/schedule-one.ts'
import { podName, type QueuedPodInfo, schedulerNameOf } from '../queue/queued-pod.ts'
import { GANG_SCHEDULING, UNSUPPORTED_REJECTOR } from '../queue/rejectors.ts'
import { assumeMembers } from './assume-members.ts'
import type { GangBarriers } from './gang-barrier.ts'
import type { GroupConditions, GroupOutcome } from './group-conditions.ts'
import type { GroupDirectory } from './group-directory.ts'
import { type GroupPlan, planGroup, type PlacedMember, type RejectedMember } from './plan-group.ts'

/** The dependencies that all attempts of groups share. */
export interface GroupContext extends AttemptContext {
  readonly directory: GroupDirectory
  readonly barriers: GangBarriers
  readonly conditions: GroupConditions
}

/** Number of times that a group is decided again because other pods took its room meanwhile. */
const MAX_PLANS = 3

type Decided = Extract<GroupPlan, { kind: 'decided' }>

/**
 * Makes one attempt to schedule a pod group: takes all of its waiting members from the queue, decides about them on one
 * view, and then places all of them or none. Never rejects.
 *
 * @param first - The member that the queue returned.
 * @see kubernetes/kubernetes pkg/scheduler/schedule_one_podgroup.go scheduleOnePodGroup (v1.36)
 */
export async function scheduleGroup(
  first: QueuedPodInfo,
  ref: PodGroupRef,
  profile: Profile,
  context: GroupContext,
): Promise<void> {
  const { queue } = context
  const infos = takeMembers(first, ref, context)
  const open = new Set(infos.map((info) => beginAttempt(info, profile, context)))
  try {
    for (const attempt of open) if (endsBeforeDecision(attempt, context)) open.delete(attempt)
    if (open.size > 0) await decideAndPlace(open, ref, context)
  } catch (error) {
    for (const attempt of open) failAttempt(attempt, error, errorText(error), context)
  } finally {
    for (const { key } of infos) queue.leaveGroups(key, 'end')
  }
}

/** Takes the other waiting members from the queue: higher priority first, then the one that was seen first. */
function takeMembers(
  first: QueuedPodInfo,
  ref: PodGroupRef,
  { directory, queue }: GroupContext,
): readonly QueuedPodInfo[] {
  const others = [...directory.waitingMembers(ref)].flatMap((uid) => queue.popPod(uid) ?? [])
  const priorityOf = ({ pod }: QueuedPodInfo): number => pod.spec.priority ?? 0
  const compareNames = (a: string, b: string): number => (a < b ? -1 : 1)
  return [first, ...others].toSorted(
    (a, b) =>
      priorityOf(b) - priorityOf(a) || a.firstSeenMs - b.firstSeenMs || compareNames(podName(a.pod), podName(b.pod)),
  )
}

/** Ends the attempt of a pod that no longer needs a node. */
function endsBeforeDecision({ info, pod }: Attempt, { queue, view }: GroupContext): boolean {
  if (!isLost(pod, view) && !view.state.isAssumed(pod)) return false
  queue.done(info.key)
  return true
}

/** @param open - The attempts that have not ended; those that end are removed. */
async function decideAndPlace(open: Set<Attempt>, ref: PodGroupRef, context: GroupContext): Promise<void> {
  const { directory, queue } = context
  const group = directory.group(ref)
  if (group === undefined || [...open].some(({ pod }) => directory.holdReason(pod) !== undefined)) {
    // The group was deleted or lost members: the queue holds the pods back until that changes.
    for (const { info } of drain(open)) queue.addUnschedulable(info, new Set())
    return
  }
  const names = new Set([...open].map(({ pod }) => schedulerNameOf(pod)))
  if (names.size > 1) {
    const message = `all pods of pod group ${ref.namespace}/${ref.name} must have the same schedulerName, found ${[...names].join(' and ')}`
    failGroup(open, group, { message }, context)
    return
  }
  const refusal = unsupportedGroupMessage(group)
  if (refusal !== undefined) {
    for (const attempt of drain(open)) end(attempt, { message: refusal, rejectors: [UNSUPPORTED_REJECTOR] }, context)
    reportGroup(group, { status: 'False', reason: 'Unschedulable', message: refusal }, context)
    return
  }
  for (let plans = 1; ; plans++) {
    const plan = await planGroup(group, [...open], directory.scheduledCount(ref), context)
    for (const attempt of open) if (endsBeforeDecision(attempt, context)) open.delete(attempt)
    if (open.size === 0) return
    if (plan.kind === 'failed') {
      failGroup(open, group, plan, context)
      return
    }
    const decided = withoutEnded(plan, open)
    // The group may be complete only with the member that ended.
    if (decided.placed.length < plan.placed.length && plans < MAX_PLANS) continue
    const isWhole = decided.isFeasible && decided.placed.length === plan.placed.length
    if (isWhole && decided.placed.every(({ preemption }) => preemption === undefined)) {
      if (assumeMembers(decided, context)) {
        await startBinding(open, group, decided, context)
        return
      }
      if (plans < MAX_PLANS) continue
      // The cluster changes faster than the group is decided: all members are retried after their backoff.
      rejectGroup(open, group, { ...decided, isFeasible: false }, new Set(), context)
      return
    }
    if (isWhole) preemptForGroup(open, group, decided, context)
    else rejectGroup(open, group, decided, new Set(decided.isFeasible ? [] : [GANG_SCHEDULING]), context)
    return
  }
}

function* drain(open: Set<Attempt>): Iterable<Attempt> {
  for (const attempt of open) {
    open.delete(attempt)
    yield attempt
  }
}

function withoutEnded(plan: Decided, open: ReadonlySet<Attempt>): Decided {
  const isOpen = ({ attempt }: { readonly attempt: Attempt }): boolean => open.has(attempt)
  return { ...plan, placed: plan.placed.filter(isOpen), rejected: plan.rejected.filter(isOpen) }
}

/** Starts the binding of the assumed members; members that did not fit wait for a change that helps them. */
async function startBinding(
  open: Set<Attempt>,
  group: PodGroup,
  { placed, rejected }: Decided,
  context: GroupContext,
): Promise<void> {
  const { barriers, queue, metrics, clock } = context
  open.clear()
  for (const member of rejected) rejectMember(member, context)
  const onComplete = (): void => reportGroup(group, { status: 'True', reason: 'Scheduled', message: '' }, context)
  const onRejected = (message: string): void =>
    reportGroup(group, { status: 'False', reason: 'Unschedulable', message }, context)
  const gang =
    group.minCount === 0
      ? undefined
      : barriers.join(
          group,
          placed.map(({ attempt }) => attempt.info.pod),
          { onComplete, onRejected },
        )
  if (gang === undefined) onComplete()
  await Promise.all(
    placed.map(async ({ attempt, nodeName }) => {
      queue.leaveGroups(attempt.info.key, 'node-chosen')
      metrics.nodeChosen(clock.monotonic() - attempt.startMs)
      try {
        await reserveAndBind(attempt, nodeName, context, gang)
      } catch (error) {
        failAttempt(attempt, error, errorText(error), context)
      }
    }),
  )
}

/** Returns every member to the queue: those that fit wait for the others. */
function rejectGroup(
  open: Set<Attempt>,
  group: PodGroup,
  { placed, rejected, message }: Decided,
  rejectors: ReadonlySet<string>,
  context: GroupContext,
): void {
  open.clear()
  for (const member of rejected) rejectMember(member, context)
  for (const { attempt } of placed) {
    context.view.clearNomination(attempt.info.pod)
    end(attempt, { message, rejectors: [...rejectors], nominatedNodeName: '' }, context)
  }
  const [first] = rejected
  const cause =
    first === undefined || first.message === message ? '' : `; ${podName(first.attempt.pod)}: ${first.message}`
  reportGroup(
    group,
    { status: 'False', reason: 'Unschedulable', message: `pod group is unschedulable: ${message}${cause}` },
    context,
  )
}

function rejectMember({ attempt, choice, message, clearsNomination }: RejectedMember, context: GroupContext): void {
  if (clearsNomination) context.view.clearNomination(attempt.info.pod)
  const nominatedNodeName = clearsNomination ? '' : undefined
  end(attempt, { message, rejectors: [...choice.rejectors], nominatedNodeName }, context)
}

/** Nominates every placed member, deletes the victims, and then returns the members to the queue. */
function preemptForGroup(open: Set<Attempt>, group: PodGroup, decided: Decided, context: GroupContext): void {
  const { view, tasks, queue } = context
  open.clear()
  for (const member of decided.rejected) rejectMember(member, context)
  for (const { attempt, nodeName } of decided.placed) view.nominate(attempt.info.pod, nodeName)
  const message = 'pod group is unschedulable, pod group is waiting for preemption to complete'
  reportGroup(group, { status: 'False', reason: 'Unschedulable', message }, context)
  const evictFor = async ({ attempt, nodeName, preemption }: PlacedMember): Promise<void> => {
    const text = preemption === undefined ? message : preemption.choice.message
    const failure = { reason: 'Unschedulable', message: text, nominatedNodeName: nodeName } as const
    await writeFailureReport(attempt, failure, context)
    if (preemption === undefined || preemption.victims.length === 0) return
    await evictVictims(attempt, { nodeName, victims: preemption.victims }, context)
  }
  tasks.start(async () => {
    const results = await Promise.allSettled(decided.placed.map(evictFor))
    for (const [i, { attempt, preemption }] of decided.placed.entries()) {
      const result = results[i]
      if (result?.status === 'rejected') {
        failAttempt(attempt, result.reason, errorText(result.reason), context)
        continue
      }
      countUnschedulable(attempt, preemption?.choice.rejectors ?? new Set(), context)
      queue.addUnschedulable(attempt.info, preemption?.choice.rejectors ?? new Set([GANG_SCHEDULING]))
    }
  })
}

interface MemberFailure {
  readonly message: string
  readonly rejectors: readonly string[]
  readonly nominatedNodeName?: string | undefined
}

/** Ends the attempt of a member that is not placed. */
function end(attempt: Attempt, { message, rejectors, nominatedNodeName }: MemberFailure, context: GroupContext): void {
  const { queue, view } = context
  if (isLost(attempt.pod, view)) {
    queue.done(attempt.info.key)
    return
  }
  const names = new Set(rejectors)
  countUnschedulable(attempt, names, context)
  queue.addUnschedulable(attempt.info, names)
  reportFailure(attempt, { reason: 'Unschedulable', message, nominatedNodeName }, context)
}

/** Ends the attempts of a group of which one member failed: all are retried after their backoff. */
function failGroup(
  open: Set<Attempt>,
  group: PodGroup,
  failure: { readonly attempt?: Attempt; readonly error?: unknown; readonly message: string },
  context: GroupContext,
): void {
  const other = `failed to schedule other pod from a pod group: ${failure.message}`
  for (const attempt of drain(open)) {
    const message = failure.attempt === undefined || failure.attempt === attempt ? failure.message : other
    failAttempt(attempt, failure.error ?? message, message, context)
  }
  reportGroup(group, { status: 'False', reason: 'SchedulerError', message: failure.message }, context)
}

function reportGroup(group: PodGroup, outcome: GroupOutcome, { tasks, conditions, directory }: GroupContext): void {
  // The object in the view may be newer than the one that the attempt began with.
  const latest = directory.group(group.ref) ?? group
  if (latest.metadata.uid === group.metadata.uid) tasks.start(() => conditions.report(latest, outcome))
}
