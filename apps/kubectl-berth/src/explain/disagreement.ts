import { humanDuration } from '@berth/text/human-duration'
import type { Pod } from '@berth/types'
import type { Profiles } from '../profile/load-profiles.ts'
import type { PodAnswer } from './pod-answer.ts'
import type { ObservedStatus } from './observed/observed-status.ts'

/** The cluster has hardly changed since a younger attempt, milliseconds. kube-scheduler's longest backoff is 10 s. */
const RECENT_ATTEMPT_MS = 30_000

/**
 * Explains why a pod that fits by Berth's decision is reported as unschedulable.
 *
 * @param pod - The pod of the answer.
 * @returns undefined when decision and condition agree, or when its pod group or an obstacle already explains the pod.
 */
export function disagreementOf(
  pod: Pod,
  answer: PodAnswer,
  observed: ObservedStatus,
  { profiles, nowMs }: { readonly profiles: DecidingProfiles; readonly nowMs: number },
): string | undefined {
  const { fits, unsupported, heldBack, group } = answer
  const { scheduled, scheduler, obstacles } = observed
  if (!fits || answer.pod.nodeName !== undefined || (heldBack ?? group) !== undefined || obstacles.length > 0)
    return undefined
  if (scheduled?.status !== 'False') return undefined
  const notRun = profiles.notRun(profiles.profileOf(pod))
  const causes = [
    scheduler?.state === 'none' ? 'no scheduler seems to be running that would try the pod again' : '',
    ageCause(observed, nowMs),
    profileCause(profiles),
    ...notRun,
    unsupported.some((part) => !notRun.includes(part)) ? 'the parts that were not evaluated (below)' : '',
  ].filter((cause) => cause !== '')
  const why =
    causes.length === 0
      ? 'The cause is not known here; the log of the scheduler may name it.'
      : `Possible causes: ${causes.join('; ')}.`
  return `${disagreementSummary(observed)} ${why}`
}

/** Returns the first sentence of a disagreement, which is the same for pods that were tried at different times. */
export function disagreementSummary({ scheduled }: Pick<ObservedStatus, 'scheduled'>): string {
  return `The pod fits by this decision, but its condition says ${scheduled?.reason || 'that it was not placed'}.`
}

type DecidingProfiles = Pick<Profiles, 'source' | 'notRun' | 'profileOf'>

/** The condition keeps its time when the scheduler tries again without success, so the events count, too. */
function ageCause({ scheduled, lastAttempt, unread }: ObservedStatus, nowMs: number): string {
  const attemptMs = nowMs - Date.parse(lastAttempt ?? '')
  if (Number.isNaN(attemptMs) || attemptMs < RECENT_ATTEMPT_MS) return ''
  return unread.includes('events') && lastAttempt === scheduled?.since
    ? `its condition is from ${humanDuration(attemptMs)} ago, and whether the scheduler has tried since is unknown, because events could not be read`
    : `the scheduler last tried ${humanDuration(attemptMs)} ago; the cluster may have changed since`
}

function profileCause({ source }: DecidingProfiles): string {
  switch (source) {
    case 'file':
    case 'config-map':
    case 'configz':
      return ''
    case 'plugin-dir':
      return 'the scheduler has a configuration that is not known here (give it with --scheduler-config)'
    case 'assumed':
      return 'the scheduler uses another profile than the default one that was assumed here (give it with --scheduler-config)'
  }
}
