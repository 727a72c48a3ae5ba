import { humanDuration } from '@berth/text/human-duration'
import { DEFAULT_SCHEDULER } from '@berth/scheduler-config'
import { isDnsSubdomain, type Lease } from '@berth/types'
import { eventTimeMs, latestEvent } from './core-event.ts'
import { isHeld, renewedText } from '../../leases/lease-state.ts'
import type { PodSurroundings } from './pod-surroundings.ts'

/** The Lease of the scheduler that every control plane brings. */
const DEFAULT_LEASE = 'kube-scheduler'

/** An event that is older than this does not show that a scheduler still runs, milliseconds. */
const RECENT_EVENT_MS = 600_000

/** Whether a scheduler with a name is running, and the evidence. */
export interface SchedulerSign {
  readonly schedulerName: string
  /** `none`: nothing found, which proves nothing where a type could not be read. */
  readonly state: 'seen' | 'none' | 'unknown'
  readonly sentence: string
}

/**
 * Returns the names of Leases that a scheduler may hold: its own name, kube-scheduler's for the default scheduler, and
 * the one in its configuration.
 *
 * @param configured - The Lease that its configuration names; undefined when the configuration is not known.
 */
export function leaseNamesOf(schedulerName: string, configured: string | undefined): readonly string[] {
  const names = [schedulerName, ...(schedulerName === DEFAULT_SCHEDULER ? [DEFAULT_LEASE] : []), configured ?? '']
  return [...new Set(names)].filter((name) => isDnsSubdomain(name))
}

/** Looks for a scheduler: a Lease that it renews, or an event that it wrote lately. */
export function schedulerSign(
  schedulerName: string,
  around: Pick<PodSurroundings, 'leases' | 'schedulerEvents' | 'unread'>,
  nowMs: number,
): SchedulerSign {
  const held = around.leases.find((lease) => isHeld(lease, nowMs))
  const sign = (state: SchedulerSign['state'], evidence: string): SchedulerSign => ({
    schedulerName,
    state,
    sentence: `Scheduler ${schedulerName}: ${evidence}`,
  })
  if (held !== undefined)
    return sign('seen', `${held.spec?.holderIdentity} holds the Lease ${nameOf(held)}, ${renewedText(held, nowMs)}.`)
  const event = latestEvent(around.schedulerEvents)
  if (event !== undefined && nowMs - eventTimeMs(event) <= RECENT_EVENT_MS)
    return sign('seen', `it wrote an event ${humanDuration(nowMs - eventTimeMs(event))} ago.`)
  const [expired] = around.leases
  const unread = around.unread.filter((plural) => plural === 'leases' || plural === 'events')
  if (expired !== undefined && unread.length > 0) {
    const lease = `Its Lease ${nameOf(expired)} expired, ${renewedText(expired, nowMs)}`
    return sign('unknown', `unknown. ${lease}, and ${unread.join(' and ')} could not be read.`)
  }
  if (expired !== undefined) {
    return sign('none', `no sign of it. Its Lease ${nameOf(expired)} expired, ${renewedText(expired, nowMs)}.`)
  }
  if (unread.length > 0) return sign('unknown', `unknown, because ${unread.join(' and ')} could not be read.`)
  return sign(
    'none',
    'no sign of it, neither a Lease nor a recent event. A scheduler without leader election has no Lease.',
  )
}

function nameOf({ metadata }: Lease): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
}
