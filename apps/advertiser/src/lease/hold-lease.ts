import { resourceRefs, type LeaderElection } from '@berth/k8s-client'
import { listNames } from '@berth/text/list-names'
import { shellCommand } from '@berth/text/shell-command'
import { AdvertiseError } from '../errors.ts'
import { installationLease, type InstallationLease } from './installation-lease.ts'
import { joinElection, type ElectionOptions } from './join-election.ts'
import { MAX_NAMED, waitForRivals } from './wait-for-rivals.ts'

/** A process that ended without releasing its Lease is known to be dead after the 15 s of the Lease. */
const MAX_WAIT_MS = 20_000
/** The Leases of node mode take 40 s. */
const MAX_RIVAL_WAIT_MS = 60_000

/** Options of {@link holdLease}. */
export interface HoldLeaseOptions extends ElectionOptions {
  /** The node of this process; undefined in central mode. */
  readonly onlyNode: string | undefined
  /** Begins the error message: `withdraw everything`. */
  readonly purpose: string
  readonly signal: AbortSignal
}

/**
 * Acquires the Lease of an installation for one pass over the nodes, and waits for processes of the other mode. Disposing
 * the result releases it.
 *
 * @throws AdvertiseError BERTH_ADVERTISER_LEASE_HELD if another process holds a Lease and renews it, or if the Lease cannot
 * be acquired for another reason within 20 s.
 * @throws Errors of the client if the Lease cannot be read or created.
 */
export async function holdLease(owner: string, options: HoldLeaseOptions): Promise<LeaderElection> {
  const lease = installationLease(owner, options.onlyNode)
  const election = await acquire(owner, lease, options)
  try {
    await refuseRivals(owner, options)
    return election
  } catch (error) {
    await election[Symbol.asyncDispose]()
    throw error
  }
}

/**
 * Refuses to write while processes of the installation run in the other mode.
 *
 * @throws AdvertiseError BERTH_ADVERTISER_LEASE_HELD
 * @throws Errors of the client.
 */
export async function refuseRivals(
  owner: string,
  options: Pick<HoldLeaseOptions, 'client' | 'clock' | 'log' | 'onlyNode' | 'purpose' | 'signal'>,
): Promise<void> {
  const rivals = await waitForRivals(owner, { ...options, maxWaitMs: MAX_RIVAL_WAIT_MS })
  if (rivals.length > 0) throw heldError(owner, installationLease(owner, undefined), { ...options, holders: rivals })
}

async function acquire(owner: string, lease: InstallationLease, options: HoldLeaseOptions): Promise<LeaderElection> {
  const { clock, purpose, signal } = options
  await checkLeaseAccess(lease, options)
  const election = joinElection(lease, options)
  const waiting = new AbortController()
  const timer = clock.setTimer(lease.leaseDurationMs === undefined ? MAX_WAIT_MS : MAX_RIVAL_WAIT_MS, () =>
    waiting.abort(new Error('waited too long')),
  )
  try {
    await election.whenLeading(AbortSignal.any([signal, waiting.signal]))
    return election
  } catch (cause) {
    const holder = election.leader()
    await election[Symbol.asyncDispose]()
    if (signal.aborted) throw cause
    throw heldError(owner, lease, { purpose, holders: holder === '' ? [] : [holder] })
  } finally {
    timer.cancel()
  }
}

function heldError(
  owner: string,
  { namespace, name }: InstallationLease,
  { purpose, holders }: { readonly purpose: string; readonly holders: readonly string[] },
): AdvertiseError {
  const [first, ...others] = holders
  const inspect = shellCommand('kubectl', 'get', 'lease', name, '--namespace', namespace)
  const many = shellCommand('kubectl', 'get', 'leases', '--namespace', namespace)
  return new AdvertiseError(
    first === undefined
      ? `${purpose}: the Lease of installation ${owner} could not be acquired; the warnings above say why`
      : `${purpose}: installation ${owner} is running: ${listNames(holders, MAX_NAMED)} ${others.length === 0 ? 'holds its Lease' : 'hold its Leases'} and would undo the changes`,
    {
      code: 'BERTH_ADVERTISER_LEASE_HELD',
      retryable: true,
      hint: `Stop that advertiser first, or name your own installation with --owner. See the Lease: ${others.length === 0 ? inspect : many}`,
    },
  )
}

/** Fails at once where the election would retry: without a connection, without permission, without a namespace. */
async function checkLeaseAccess(
  { namespace, name }: InstallationLease,
  { client, signal }: Pick<HoldLeaseOptions, 'client' | 'signal'>,
): Promise<void> {
  const target = { namespace, name }
  const found = await client.find(resourceRefs.leases, target, { signal })
  if (found === undefined) await client.create(resourceRefs.leases, { metadata: target }, { signal, dryRun: true })
}
