import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { type ApiClient, isApiStatus, type LeaderElection, resourceRefs, startLeaderElection } from '@berth/k8s-client'
import type { Clock, Logger, Random } from '@berth/types'
import { errorText } from '@berth/text/error-text'
import { LeaseError } from './errors.ts'
import type { LeaseSettings } from './config/settings.ts'

/** Options of {@link joinElection}. */
export interface JoinElectionOptions {
  readonly client: Pick<ApiClient, 'find' | 'create' | 'update'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/**
 * Starts to compete for the Lease, also without leader election: two replicas that schedule at once over-commit nodes, so
 * the second one stays idle.
 *
 * @throws LeaseError BERTH_SCHEDULER_LEASE_FORBIDDEN if there is no leader election and this process may not use the Lease,
 * because a second replica would not be noticed then.
 */
export async function joinElection(lease: LeaseSettings, options: JoinElectionOptions): Promise<LeaderElection> {
  if (!lease.isElection) await refuseForbiddenLease(lease, options)
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

/** Time for the check at the start. If the API server cannot be reached, the election retries. */
const CHECK_MS = 5_000

async function refuseForbiddenLease(
  { namespace, name }: LeaseSettings,
  { client, log }: JoinElectionOptions,
): Promise<void> {
  const lease = `${namespace}/${name}`
  try {
    const call = { deadlineMs: CHECK_MS }
    const found = await client.find(resourceRefs.leases, { namespace, name }, call)
    const object = { metadata: { namespace, name } }
    if (found === undefined) await client.create(resourceRefs.leases, object, { ...call, dryRun: true })
  } catch (cause) {
    if (isApiStatus(cause, 403) || isApiStatus(cause, 404)) {
      throw new LeaseError(
        `use lease ${lease}: ${errorText(cause)}; without it a second replica would not be noticed, and both would over-commit nodes`,
        {
          code: 'BERTH_SCHEDULER_LEASE_FORBIDDEN',
          cause,
          hint: `Grant the verbs "get", "create" and "update" on "leases" of coordination.k8s.io in namespace ${namespace}, or choose another one with --leader-elect-resource-namespace.`,
        },
      )
    }
  }
  log.info({ lease }, 'Leader election is off: this replica schedules unless another one holds the Lease')
}

/**
 * Runs `work` while this process is the leader.
 *
 * @throws LeaseError BERTH_SCHEDULER_LEASE_LOST when the Lease is lost. The process must end, because another
 * replica schedules from then on.
 */
export async function whileLeading(
  election: LeaderElection,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
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
