import { humanDuration } from '@berth/text/human-duration'
import type { Profiles } from '../profile/load-profiles.ts'
import type { PodAnswer } from './pod-answer.ts'
import type { ObservedStatus } from './observed/observed-status.ts'

/**
 * Explains why a pod that fits by Berth's decision is reported as unschedulable.
 *
 * @returns undefined when decision and condition agree, or when its pod group or an obstacle already explains the pod.
 */
export function disagreementOf(
  { fits, unsupported, heldBack, group, pod }: PodAnswer,
  { scheduled, scheduler, obstacles }: ObservedStatus,
  { profiles, nowMs }: { readonly profiles: Pick<Profiles, 'isChosen'>; readonly nowMs: number },
): string | undefined {
  if (!fits || pod.nodeName !== undefined || (heldBack ?? group) !== undefined || obstacles.length > 0) return undefined
  if (scheduled?.status !== 'False') return undefined
  const ageMs = nowMs - Date.parse(scheduled.since)
  const causes = [
    scheduler?.state === 'none' ? 'no scheduler seems to be running that would try the pod again' : '',
    Number.isNaN(ageMs)
      ? ''
      : `the condition is from ${humanDuration(ageMs)} ago and the scheduler has not tried again since`,
    profiles.isChosen
      ? ''
      : `the scheduler uses another profile than the default one that was assumed here (give it with --scheduler-config)`,
    unsupported.length === 0 ? '' : 'the parts that were not evaluated (below)',
  ].filter((cause) => cause !== '')
  return `The pod fits by this decision, but its condition says ${scheduled.reason || 'that it was not placed'}. Possible causes: ${causes.join('; ')}.`
}
