import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { type ApiClient, type LeaderElection, startLeaderElection } from '@berth/k8s-client'
import type { Clock, Logger, Random } from '@berth/types'
import { LeaseError } from './errors.ts'
import type { LeaseSettings } from './config/settings.ts'

/** Starts to compete for the Lease. */
export function joinElection(
  lease: LeaseSettings,
  options: { readonly client: ApiClient; readonly clock: Clock; readonly random: Random; readonly log: Logger },
): LeaderElection {
  return startLeaderElection({
    ...options,
    namespace: lease.namespace,
    name: lease.name,
    identity: `${hostname()}_${randomUUID()}`,
    leaseDurationMs: lease.durationMs,
    renewDeadlineMs: lease.renewDeadlineMs,
    retryPeriodMs: lease.retryPeriodMs,
  })
}

/**
 * Runs `work` while this process is the leader; without an election, at once.
 *
 * @throws LeaseError BERTH_SCHEDULER_LEASE_LOST when the Lease is lost. The process must end, because another
 * replica schedules from then on.
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
    hint: 'Nothing to do: the process restarts and waits for the Lease.',
  })
}
