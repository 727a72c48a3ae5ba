import { leaseIdentity, startLeaderElection, type ApiClient, type LeaderElection } from '@berth/k8s-client'
import type { Clock, Logger, Random } from '@berth/types'

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
  return startLeaderElection({ ...options, ...leaseOf(owner), identity: leaseIdentity() })
}

/** Returns the namespace and the name of the Lease of an installation. */
export function leaseOf(owner: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = owner.split('/')
  return { namespace, name }
}
