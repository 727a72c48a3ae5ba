import { pause } from '@berth/clock'
import {
  type ApiClient,
  isApiStatus,
  type LeaderElection,
  leaseIdentity,
  resourceRefs,
  startLeaderElection,
  whileLeading,
} from '@berth/k8s-client'
import type { Clock, Logger, Random } from '@berth/types'
import { errorText } from '@berth/text/error-text'
import { LeaseError } from './errors.ts'
import type { LeaseSettings } from './config/settings.ts'
import type { SchedulingTerm } from './scheduler.ts'

/** Options of {@link joinElection}. */
export interface JoinElectionOptions {
  readonly client: Pick<ApiClient, 'find' | 'create' | 'update'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/**
 * Runs work during the terms of this process as leader, that is, while it holds the Lease. Disposing it releases the
 * Lease.
 */
export interface LeaderTerms extends AsyncDisposable {
  /** Returns whether this process may write now. */
  mayWrite(): boolean
  /**
   * Waits until the first attempt to take the Lease has ended, won or not, half a second at most. If it was won, what is read
   * afterwards is new enough for the term, and the new leader need not catch up. Resolves early when `stop` aborts.
   */
  whenTried(stop: AbortSignal): Promise<void>
  /**
   * Runs `work` while this process holds the Lease. Without leader election, it waits for the Lease and runs `work` again
   * after the Lease was lost. Resolves when `stop` aborts.
   *
   * @throws LeaseError BERTH_SCHEDULER_LEASE_LOST when the Lease is lost, with leader election. The process must end, because
   * another replica schedules from then on.
   */
  run(stop: AbortSignal, work: (signal: AbortSignal, term: SchedulingTerm) => Promise<void>): Promise<void>
}

/**
 * Starts to compete for the Lease, also without leader election: two replicas that schedule at once over-commit nodes, so
 * the second one stays idle.
 *
 * @throws LeaseError BERTH_SCHEDULER_LEASE_FORBIDDEN if there is no leader election and this process may not use the Lease,
 * because a second replica would not be noticed then.
 */
export async function joinElection(lease: LeaseSettings, options: JoinElectionOptions): Promise<LeaderTerms> {
  if (!lease.isElection) await refuseForbiddenLease(lease, options)
  // The identity stays the same, so that this process takes its own Lease back at once.
  const identity = leaseIdentity()
  const start = (): LeaderElection =>
    startLeaderElection({
      ...options,
      namespace: lease.namespace,
      name: lease.name,
      identity,
      leaseDurationMs: lease.durationMs,
      renewDeadlineMs: lease.renewDeadlineMs,
      retryPeriodMs: lease.retryPeriodMs,
    })
  let election = start()
  return {
    mayWrite: () => election.stillLeader(),
    whenTried: (stop) => Promise.race([election.tried, pause(options.clock, FIRST_ATTEMPT_MS, stop)]),
    async run(stop, work) {
      for (;;) {
        const { lost } = election
        const mayWrite = election.stillLeader.bind(election)
        const begin = (signal: AbortSignal): Promise<void> =>
          work(signal, { lost, mayWrite, sinceMs: election.leadingSinceMs() })
        try {
          await whileLeading(election, stop, { work: begin, lostError: leaseLostError })
          return
        } catch (error) {
          const hasLost = error instanceof LeaseError && error.code === 'BERTH_SCHEDULER_LEASE_LOST'
          if (lease.isElection || !hasLost) throw error
        }
        const fields = { lease: `${lease.namespace}/${lease.name}` }
        options.log.warn(fields, 'Scheduling paused: the Lease could not be renewed, or another replica holds it')
        await election[Symbol.asyncDispose]()
        election = start()
      }
    },
    [Symbol.asyncDispose]: () => election[Symbol.asyncDispose](),
  }
}

/** The maximum wait for the first attempt to take the Lease. An API server that is slow must not delay the reads further. */
const FIRST_ATTEMPT_MS = 500

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

function leaseLostError(): LeaseError {
  return new LeaseError('schedule pods: the Lease was lost to another replica, or could not be renewed', {
    code: 'BERTH_SCHEDULER_LEASE_LOST',
    retryable: true,
    hint: 'Nothing to do: the process restarts and waits for the Lease.',
  })
}
