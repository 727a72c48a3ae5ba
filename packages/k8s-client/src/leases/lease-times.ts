import { BerthError } from '@berth/types'

/** The times of the election are invalid: two processes could lead at once, or no process could keep the lease. */
export class LeaseTimesError extends BerthError {}

/** Pauses between attempts grow by up to this factor; client-go's value. */
export const JITTER_FACTOR = 1.2

/** The times of an election, in milliseconds. */
export interface LeaseTimes {
  readonly leaseDurationMs: number
  readonly renewDeadlineMs: number
  readonly retryPeriodMs: number
}

/** A time of an election that does not fit the others. */
export interface LeaseTimesFault {
  readonly field: 'leaseDuration' | 'renewDeadline' | 'retryPeriod'
  readonly reason: string
}

/**
 * Checks the times of an election: a leader must give up before others may take over, and must have more than one
 * attempt to renew until then. A Lease counts in whole seconds.
 *
 * @returns The first fault; undefined if the times fit.
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
 * Throws if {@link leaseTimesFault} finds a fault.
 *
 * @throws LeaseTimesError BERTH_LEASE_TIMES
 */
export function checkLeaseTimes(lease: string, times: LeaseTimes): void {
  const fault = leaseTimesFault(times)
  if (fault === undefined) return
  throw new LeaseTimesError(`compete for lease ${lease}: ${fault.field} ${fault.reason}`, {
    code: 'BERTH_LEASE_TIMES',
    hint: 'Keep leaseDuration > renewDeadline > 1.2 x retryPeriod; the defaults of kube-scheduler are 15 s, 10 s and 2 s.',
  })
}

function seconds(ms: number): string {
  return `${Math.round(ms) / 1_000} s`
}
