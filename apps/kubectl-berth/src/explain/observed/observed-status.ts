import { isBound } from '@berth/resources'
import { humanDuration } from '@berth/text/human-duration'
import { schedulerNameOf } from '@berth/scheduler-config'
import type { Pod, PodCondition } from '@berth/types'
import { type CoreEvent, eventTimeMs, latestEvent, reporterOf } from './core-event.ts'
import { findObstacles, type KnownObjects, type Obstacle } from './find-obstacles.ts'
import type { PodSurroundings } from './pod-surroundings.ts'
import { schedulerSign, type SchedulerSign } from './scheduler-sign.ts'

/** The status of a pod in the API, before any decision of Berth. */
export interface ObservedStatus {
  readonly phase: string
  /** The PodScheduled condition; absent when no scheduler has reported yet. */
  readonly scheduled?: {
    readonly status: string
    readonly reason: string
    readonly message: string
    readonly since: string
  }
  /** When a scheduler last tried to place the pod without success, as far as its condition and events tell. */
  readonly lastAttempt?: string
  readonly lastEvent?: {
    readonly reason: string
    readonly message: string
    readonly reporter: string
    readonly time: string
  }
  /** Absent for a pod that has a node. */
  readonly scheduler?: SchedulerSign
  /** In the order in which they must be removed; empty when nothing is known. */
  readonly obstacles: readonly Obstacle[]
  /** Types that could not be read. */
  readonly unread: readonly string[]
}

/** Collects what the API says about a pod: its phase and condition, the last event, its scheduler, and obstacles. */
export function observedStatus(
  pod: Pod,
  around: PodSurroundings,
  { known, nowMs }: { readonly known: KnownObjects; readonly nowMs: number },
): ObservedStatus {
  const condition = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')
  const event = latestEvent(around.podEvents)
  const lastAttempt = lastAttemptOf(condition, around.podEvents)
  return {
    phase: pod.status?.phase ?? 'Pending',
    ...(condition !== undefined && {
      scheduled: {
        status: condition.status,
        reason: condition.reason ?? '',
        message: condition.message ?? '',
        since: condition.lastTransitionTime ?? '',
      },
    }),
    ...(lastAttempt !== undefined && { lastAttempt }),
    ...(event !== undefined && {
      lastEvent: {
        reason: event.reason ?? '',
        message: event.message ?? '',
        reporter: reporterOf(event),
        time: new Date(eventTimeMs(event)).toISOString(),
      },
    }),
    ...(!isBound(pod) && { scheduler: schedulerSign(schedulerNameOf(pod), around, nowMs) }),
    obstacles: findObstacles(pod, known),
    unread: around.unread,
  }
}

/** Returns the newer of the condition and the last event about a failed attempt; undefined when neither has a time. */
function lastAttemptOf(condition: PodCondition | undefined, events: readonly CoreEvent[]): string | undefined {
  const since = condition?.status === 'False' ? (condition.lastTransitionTime ?? '') : ''
  const event = latestEvent(events.filter(({ reason }) => reason === 'FailedScheduling'))
  const eventMs = event === undefined ? 0 : eventTimeMs(event)
  const sinceMs = Date.parse(since)
  if (eventMs > 0 && !(sinceMs > eventMs)) return new Date(eventMs).toISOString()
  return Number.isNaN(sinceMs) ? undefined : since
}

/** Returns the status as sentences, without the obstacles. */
export function statusSentences(status: ObservedStatus, nowMs: number): readonly string[] {
  const { phase, scheduled, lastEvent, scheduler } = status
  const ago = (time: string): string => {
    const timeMs = Date.parse(time)
    return Number.isNaN(timeMs) ? '' : ` (${humanDuration(nowMs - timeMs)} ago)`
  }
  const condition =
    scheduled === undefined
      ? 'No scheduler has reported on it (it has no PodScheduled condition).'
      : scheduled.status === 'True'
        ? `Its condition PodScheduled is True${ago(scheduled.since)}.`
        : `Its condition PodScheduled is ${scheduled.status}${ago(scheduled.since)}: ${[scheduled.reason, scheduled.message].filter((part) => part !== '').join(': ')}`
  return [
    `The pod is ${phase}. ${condition}`,
    ...(lastEvent === undefined
      ? []
      : [`Last event${ago(lastEvent.time)}: ${lastEvent.reason} from ${lastEvent.reporter}: ${lastEvent.message}`]),
    ...(scheduler === undefined ? [] : [scheduler.sentence]),
  ]
}
