import { leaseIdentity, startLeaderElection, type ApiClient, type LeaderElection } from '@berth/k8s-client'
import { splitNamespacedName, type Clock, type Logger, type Random } from '@berth/types'

/** Dependencies of an election. */
export interface ElectionOptions {
  readonly client: Pick<ApiClient, 'find' | 'create' | 'update'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/**
 * Competes for the Lease of an installation.
 *
 * @param owner - `namespace/name` of the Lease.
 */
export function joinElection(owner: string, options: ElectionOptions): LeaderElection {
  return startLeaderElection({ ...options, ...splitNamespacedName(owner), identity: leaseIdentity() })
}
