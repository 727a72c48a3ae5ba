import type { LeaderElectionOptions } from '@berth/k8s-client'
import { splitNamespacedName } from '@berth/types'

/** Stands between the name of an installation and the name of a node in the name of a Lease. */
const NODE_INFIX = '.node.'
/** Names of Leases have at most 253 characters, and those of installations at most 63 with the chart. */
export const MAX_NODE_NAME_LENGTH = 253 - 63 - NODE_INFIX.length

/** A Lease and the times of its election. */
export type InstallationLease = Pick<LeaderElectionOptions, 'namespace' | 'name'> & Partial<LeaseTimes>
type LeaseTimes = Required<Pick<LeaderElectionOptions, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>>

/** The longest time for which a process of an installation holds a Lease without renewal. */
export const MAX_LEASE_MS = 40_000
/** Those of the Leases of kubelets, because there are as many. */
const NODE_TIMES: LeaseTimes = { leaseDurationMs: MAX_LEASE_MS, renewDeadlineMs: 30_000, retryPeriodMs: 10_000 }

/**
 * Returns the Lease for which the processes of an installation compete: one for all nodes in central mode, and one for
 * each node in node mode.
 *
 * @param owner - Name of the installation.
 * @param onlyNode - The node of a process in node mode; undefined in central mode.
 */
export function installationLease(owner: string, onlyNode: string | undefined): InstallationLease {
  const { namespace, name } = splitNamespacedName(owner)
  if (onlyNode === undefined) return { namespace, name }
  return { namespace, name: `${name}${NODE_INFIX}${onlyNode}`, ...NODE_TIMES }
}

/** Returns the node of a Lease that a process of this installation in node mode holds; undefined for other Leases. */
export function nodeOfLease(owner: string, leaseName: string): string | undefined {
  const prefix = `${splitNamespacedName(owner).name}${NODE_INFIX}`
  return leaseName.startsWith(prefix) ? leaseName.slice(prefix.length) : undefined
}
