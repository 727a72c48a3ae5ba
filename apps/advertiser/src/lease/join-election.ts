import { leaseIdentity, startLeaderElection, type ApiClient, type LeaderElection } from '@berth/k8s-client'
import type { Clock, Logger, Random } from '@berth/types'
import type { InstallationLease } from './installation-lease.ts'

/** Dependencies of an election. */
export interface ElectionOptions {
  readonly client: Pick<ApiClient, 'find' | 'create' | 'update' | 'list'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** Competes for the Lease of an installation. */
export function joinElection(lease: InstallationLease, options: ElectionOptions): LeaderElection {
  return startLeaderElection({ ...options, ...lease, identity: leaseIdentity() })
}
