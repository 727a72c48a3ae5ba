import { BerthError } from '@berth/types'

/** Times of an election with which two processes could lead at once, or none for long. */
export class LeaseTimesError extends BerthError {}

/** Pauses between attempts grow by up to this factor; client-go's figure. */
export const JITTER_FACTOR = 1.2

/** The times of an election, milliseconds. */
export interface LeaseTimes {
  readonly leaseDurationMs: number
  readonly renewDeadlineMs: number
  readonly retryPeriodMs: number
}

/** A time that does not fit: which, and what it has to be. */
export interface LeaseTimesFault {
  readonly field: 'leaseDuration' | 'renewDeadline' | 'retryPeriod'
  readonly reason: string
}

/**
 * What is wrong with the times of an election: a leader must give up before others may take over, and must have had
 * more than one try until then. A Lease counts in whole seconds.
 *
 * @returns The first fault; undefined when all is well.
 * @see kubernetes v1.36 staging/src/k8s.io/client-go/tools/leaderelection/leaderelection.go (NewLeaderElector)
 */
export function leaseTimesFault({
  leaseDurationMs,
  renewDeadlineMs,
  retryPeriodMs,
}: LeaseTimes): LeaseTimesFault | undefined {
  if (!(retryPeriodMs > 0)) return { field: 'retryPeriod', reason: 'must be longer than 0' }
  if (!(renewDeadlineMs > JITTER_FACTOR * retryPeriodMs)) {
    const least = `${JITTER_FACTOR} times retryPeriod (${seconds(JITTER_FACTOR * retryPeriodMs)})`
    return { field: 'renewDeadline', reason: `must be longer than ${least}, and is ${seconds(renewDeadlineMs)}` }
  }
  if (!(leaseDurationMs > renewDeadlineMs)) {
    const least = `renewDeadline (${seconds(renewDeadlineMs)})`
    return { field: 'leaseDuration', reason: `must be longer than ${least}, and is ${seconds(leaseDurationMs)}` }
  }
  if (leaseDurationMs % 1_000 === 0) return undefined
  return { field: 'leaseDuration', reason: `must be whole seconds, and is ${seconds(leaseDurationMs)}` }
}

/**
 * Refuses what {@link leaseTimesFault} finds.
 *
 * @throws LeaseTimesError BERTH_LEASE_TIMES
 */
export function checkLeaseTimes(lease: string, times: LeaseTimes): void {
  const fault = leaseTimesFault(times)
  if (fault === undefined) return
  throw new LeaseTimesError(`compete for lease ${lease}: ${fault.field} ${fault.reason}`, {
    code: 'BERTH_LEASE_TIMES',
    hint: 'leaseDuration > renewDeadline > 1.2 x retryPeriod; 15 s, 10 s and 2 s are the defaults of kube-scheduler.',
  })
}

function seconds(ms: number): string {
  return `${Math.round(ms) / 1_000} s`
}
