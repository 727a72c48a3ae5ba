import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { type ApiClient, type LeaderElection, startLeaderElection } from '@berth/k8s-client'
import type { Clock, Logger, Random } from '@berth/types'
import { LeaseError } from './errors.ts'
import type { LeaseSettings } from './config/settings.ts'

/** Joins the election for the Lease of the settings. */
export function joinElection(
  lease: LeaseSettings,
  parts: { readonly client: ApiClient; readonly clock: Clock; readonly random: Random; readonly log: Logger },
): LeaderElection {
  return startLeaderElection({
    ...parts,
    namespace: lease.namespace,
    name: lease.name,
    identity: `${hostname()}_${randomUUID()}`,
    leaseDurationMs: lease.durationMs,
    renewDeadlineMs: lease.renewDeadlineMs,
    retryPeriodMs: lease.retryPeriodMs,
  })
}

/**
 * Runs `work` while this process leads, or at once when there is no election.
 *
 * @throws LeaseError BERTH_SCHEDULER_LEASE_LOST when the Lease is lost; the process must end, since another one
 * schedules from then on.
 */
export async function whileLeading(
  election: LeaderElection | undefined,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (election === undefined) return work(stop)
  try {
    await election.whenLeading(stop)
  } catch (error) {
    if (stop.aborted) return
    throw error
  }
  await work(AbortSignal.any([stop, election.lost]))
  if (stop.aborted) return
  throw new LeaseError('schedule pods: the Lease was lost to another replica, or could not be renewed', {
    code: 'BERTH_SCHEDULER_LEASE_LOST',
    retryable: true,
    hint: 'Nothing; the process is started again and waits for its turn.',
  })
}
