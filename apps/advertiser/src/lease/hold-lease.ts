import { resourceRefs, type LeaderElection } from '@berth/k8s-client'
import { shellCommand } from '@berth/text/shell-command'
import { splitNamespacedName } from '@berth/types'
import { AdvertiseError } from '../errors.ts'
import { joinElection, type ElectionOptions } from './join-election.ts'

/** A process that ended without releasing its Lease is known to be dead after the 15 s of the Lease. */
const MAX_WAIT_MS = 20_000

/**
 * Acquires the Lease of an installation for one pass over the nodes. Disposing the result releases it.
 *
 * @param options.purpose - Begins the error message: `withdraw everything`.
 * @throws AdvertiseError BERTH_ADVERTISER_LEASE_HELD if another process holds the Lease and renews it, or if it cannot
 * be acquired for another reason within 20 s.
 * @throws Errors of the client if the Lease cannot be read or created.
 */
export async function holdLease(
  owner: string,
  options: ElectionOptions & { readonly purpose: string; readonly signal: AbortSignal },
): Promise<LeaderElection> {
  const { clock, purpose, signal } = options
  await checkLeaseAccess(owner, options)
  const election = joinElection(owner, options)
  const waiting = new AbortController()
  const timer = clock.setTimer(MAX_WAIT_MS, () => waiting.abort(new Error('waited too long')))
  try {
    await election.whenLeading(AbortSignal.any([signal, waiting.signal]))
    return election
  } catch (cause) {
    const holder = election.leader()
    await election[Symbol.asyncDispose]()
    if (signal.aborted) throw cause
    const { namespace, name } = splitNamespacedName(owner)
    const inspect = shellCommand('kubectl', 'get', 'lease', name, '--namespace', namespace)
    throw new AdvertiseError(
      holder === ''
        ? `${purpose}: the Lease of installation ${owner} could not be acquired; the warnings above say why`
        : `${purpose}: installation ${owner} is running: ${holder} holds its Lease and would undo the changes`,
      {
        code: 'BERTH_ADVERTISER_LEASE_HELD',
        retryable: true,
        hint: `Stop that advertiser first, or name your own installation with --owner. See the Lease: ${inspect}`,
      },
    )
  } finally {
    timer.cancel()
  }
}

/** Fails at once where the election would retry: without a connection, without permission, without a namespace. */
async function checkLeaseAccess(
  owner: string,
  { client, signal }: Pick<ElectionOptions, 'client'> & { readonly signal: AbortSignal },
): Promise<void> {
  const target = splitNamespacedName(owner)
  const found = await client.find(resourceRefs.leases, target, { signal })
  if (found === undefined) await client.create(resourceRefs.leases, { metadata: target }, { signal, dryRun: true })
}
