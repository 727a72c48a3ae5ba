import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ClusterState } from '@berth/fit-engine'
import {
  annotateForBinding,
  assumeVolumes,
  groupFitMessage,
  isGroupFeasible,
  missingGroupResources,
} from '@berth/fit-engine'
import type { Clock, Pod, PodGroup } from '@berth/types'
import type { Attempt, AttemptContext } from '../cycle/attempt.ts'
import { postFilter, type UnschedulableChoice } from '../cycle/handle-unschedulable.ts'
import { choose } from '../cycle/schedule-one.ts'
import { stateVersion } from '../cycle/state-version.ts'

/** A member for which a node was found, and what must happen before it has room there. */
export interface PlacedMember {
  readonly attempt: Attempt
  readonly nodeName: string
  /** Undefined for a member that fits now. */
  readonly preemption?: {
    readonly choice: UnschedulableChoice
    /** Empty while victims of an earlier preemption are being deleted, or when a plugin deletes them itself. */
    readonly victims: readonly Pod[]
  }
}

/** A member for which no node was found. */
export interface RejectedMember {
  readonly attempt: Attempt
  readonly choice: UnschedulableChoice
  /** The message of the choice and of the postFilter plugins. */
  readonly message: string
  /** The nomination of the member is no longer useful. */
  readonly clearsNomination: boolean
}

/** The decision about a group. Nothing has changed yet. */
export type GroupPlan =
  /** A decision failed: no member is placed. */
  | { readonly kind: 'failed'; readonly attempt: Attempt; readonly error: unknown; readonly message: string }
  | {
      readonly kind: 'decided'
      readonly isFeasible: boolean
      readonly placed: readonly PlacedMember[]
      readonly rejected: readonly RejectedMember[]
      /** How many members fit. */
      readonly message: string
      /** Version of the state from which the plan was made. */
      readonly version: number
    }

/** Maximum time, in milliseconds, that the plan of a group runs before it yields to the event loop. */
const MAX_TURN_MS = 4
/** Number of members after which it yields, whatever the clock says. */
const MAX_TURN_MEMBERS = 64

/**
 * Decides about every waiting member of a group, one after the other, on a fork of the state: each decision is assumed
 * there for the following ones. A member that needs preemption counts as placed on its node without the victims.
 *
 * @param scheduled - Number of members that are bound or assumed already.
 * @see kubernetes/kubernetes pkg/scheduler/schedule_one_podgroup.go podGroupSchedulingDefaultAlgorithm (v1.36)
 */
export async function planGroup(
  group: PodGroup,
  attempts: readonly Attempt[],
  scheduled: number,
  context: AttemptContext,
): Promise<GroupPlan> {
  const { view, evictor } = context
  const version = stateVersion(view.state)
  const fork = view.state.fork()
  const takeRoom = (attempt: Attempt, nodeName: string): boolean => {
    fork.clearNomination(attempt.pod)
    if (attempt.profile.volumeBinding !== undefined) assumeVolumes(fork, attempt.pod, nodeName)
    const input = { nowMs: context.clock.now(), random: context.random }
    fork.assume(annotateForBinding(attempt.profile.framework, fork, attempt.pod, nodeName, input).pod, nodeName)
    return true
  }
  const lack = scheduled === 0 ? missingGroupResources(fork, group) : undefined
  if (lack !== undefined) {
    const rejected = attempts.map((attempt) => rejectedBecause(attempt, lack))
    return { kind: 'decided', isFeasible: false, placed: [], rejected, message: lack, version }
  }
  const waiting = new Set(attempts.filter(({ info }) => evictor.isWaitingForVictims(info.pod)))
  for (const { pod } of waiting) removeTerminating(fork, pod)

  const placed: PlacedMember[] = []
  const rejected: RejectedMember[] = []
  const turn = createTurns(context.clock)
  for (const [i, attempt] of attempts.entries()) {
    if (turn.isOver()) await turn.next()
    const choice = await choose(attempt, context, { state: fork, assume: (nodeName) => takeRoom(attempt, nodeName) })
    if (choice.kind === 'chosen') {
      const { nodeName } = choice
      const isWaiting = waiting.has(attempt) && nodeName === attempt.pod.status?.nominatedNodeName
      placed.push({
        attempt,
        nodeName,
        ...(isWaiting && { preemption: { choice: waitingChoice(nodeName), victims: [] } }),
      })
      continue
    }
    if (choice.kind === 'failed') {
      return { kind: 'failed', attempt, error: choice.cause, message: choice.message }
    }
    if (choice.kind === 'abandoned') continue
    // Preemption cannot help once too few members remain.
    const canComplete = isGroupFeasible(group, scheduled, placed.length + attempts.length - i)
    const outcome = canComplete ? await postFilter(attempt, choice, context, fork) : NO_OUTCOME
    if (outcome.kind === 'nominated') {
      const victims = outcome.victims ?? []
      for (const victim of victims) fork.deletePod(victim)
      takeRoom(attempt, outcome.nodeName)
      placed.push({ attempt, nodeName: outcome.nodeName, preemption: { choice, victims } })
      continue
    }
    const message = outcome.message === '' ? choice.message : `${choice.message} ${outcome.message}`
    rejected.push({ attempt, choice, message, clearsNomination: outcome.clearsNomination })
  }
  const pending = attempts.length
  return {
    kind: 'decided',
    isFeasible: isGroupFeasible(group, scheduled, placed.length),
    placed,
    rejected,
    message: groupFitMessage(group, { scheduled, placed: placed.length, pending }),
    version,
  }
}

const NO_OUTCOME = { kind: 'none', message: '', clearsNomination: true } as const

function rejectedBecause(attempt: Attempt, message: string): RejectedMember {
  const choice = { kind: 'rejected', message, rejectors: new Set<string>(), rejected: () => new Map() } as const
  return { attempt, choice: { ...choice, decision: undefined }, message, clearsNomination: true }
}

/** The choice of a member whose victims are being deleted: their deletion requeues it. */
function waitingChoice(nodeName: string): UnschedulableChoice {
  return {
    kind: 'rejected',
    message: `waiting until the victims of preemption on node ${nodeName} are deleted`,
    rejectors: new Set(['NodeResourcesFit']),
    rejected: () => new Map(),
    decision: undefined,
  }
}

/** Removes what is being deleted for the pod from the node that it is nominated for. */
function removeTerminating(fork: ClusterState, pod: Pod): void {
  const row = fork.rowOf(pod.status?.nominatedNodeName ?? '')
  if (row === undefined) return
  const priority = pod.spec.priority ?? 0
  const leaving = fork
    .podsOn(row)
    .filter(({ metadata, spec }) => metadata.deletionTimestamp !== undefined && (spec.priority ?? 0) < priority)
  for (const victim of leaving) fork.deletePod(victim)
}

function createTurns(clock: Clock): { isOver(): boolean; next(): Promise<void> } {
  let startMs = clock.monotonic()
  let members = 0
  return {
    isOver: () => ++members > MAX_TURN_MEMBERS || clock.monotonic() - startMs >= MAX_TURN_MS,
    async next() {
      await nextTurn()
      startMs = clock.monotonic()
      members = 0
    },
  }
}
