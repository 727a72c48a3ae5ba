import { sleep } from '@berth/clock'
import { listNames } from '@berth/text/list-names'
import { isApiStatus, resourceRefs } from '@berth/k8s-client'
import type { Lease } from '@berth/types'
import { installationLease, MAX_LEASE_MS, nodeOfLease } from './installation-lease.ts'
import type { ElectionOptions } from './join-election.ts'

const POLL_MS = 1_000
/** Maximum number of holders that a message names. */
export const MAX_NAMED = 10

/** Options of {@link waitForRivals}. */
export interface RivalOptions extends Pick<ElectionOptions, 'client' | 'clock' | 'log'> {
  /** The node of this process; undefined in central mode. */
  readonly onlyNode: string | undefined
  /** How long to wait, milliseconds. Default: without end. */
  readonly maxWaitMs?: number
  readonly signal: AbortSignal
}

/** Last observed state of a Lease. Clocks of different machines are never compared. */
interface Observed {
  readonly record: string
  readonly atMs: number
}

/**
 * Waits until no process of the installation writes the same nodes in the other mode: in central mode those of all
 * nodes, in node mode the central one. Call it with the own Lease held. Then, of two processes that start at once, at
 * least one sees the other.
 *
 * @returns Those that still hold a Lease after `maxWaitMs`: `berth-advertiser-x7k2p_… on node-a`. Empty when there is none.
 * @throws Errors of the client. Without the right to read Leases it logs a warning and does not wait.
 */
export async function waitForRivals(owner: string, options: RivalOptions): Promise<readonly string[]> {
  const { clock, log, maxWaitMs = Infinity, signal } = options
  const observed = new Map<string, Observed>()
  const startedMs = clock.monotonic()
  let hasReported = false
  for (;;) {
    const nowMs = clock.monotonic()
    const held = (await readRivals(owner, options)).filter((lease) => isHeld(lease, observed, nowMs))
    if (held.length === 0) return []
    const holders = held.map((lease) => describe(owner, lease))
    if (nowMs - startedMs >= maxWaitMs) return holders
    if (!hasReported)
      log.info({ owner, holders: listNames(holders, MAX_NAMED) }, 'Waiting for the processes of the other mode')
    hasReported = true
    await sleep(clock, POLL_MS, signal)
  }
}

async function readRivals(owner: string, { client, onlyNode, log, signal }: RivalOptions): Promise<readonly Lease[]> {
  const { namespace, name } = installationLease(owner, undefined)
  try {
    if (onlyNode !== undefined) {
      const central = await client.find<Lease>(resourceRefs.leases, { namespace, name }, { signal })
      return central === undefined ? [] : [central]
    }
    const { items } = await client.list<Lease>(resourceRefs.leases, { namespace, signal })
    return items.filter(({ metadata }) => nodeOfLease(owner, metadata.name ?? '') !== undefined)
  } catch (err) {
    if (!isApiStatus(err, 403)) throw err
    log.warn({ err, owner }, 'Could not check whether processes of the other mode run')
    return []
  }
}

function isHeld({ metadata, spec = {} }: Lease, observed: Map<string, Observed>, nowMs: number): boolean {
  if ((spec.holderIdentity ?? '') === '') return false
  const name = metadata.name ?? ''
  const record = JSON.stringify(spec)
  const last = observed.get(name)
  if (last?.record !== record) {
    observed.set(name, { record, atMs: nowMs })
    return true
  }
  // The token of a node may write any duration into the Lease of its node, which may be gone since then.
  return nowMs - last.atMs < Math.min((spec.leaseDurationSeconds ?? 0) * 1_000, MAX_LEASE_MS)
}

function describe(owner: string, { metadata, spec = {} }: Lease): string {
  const node = nodeOfLease(owner, metadata.name ?? '')
  return `${spec.holderIdentity ?? ''}${node === undefined ? '' : ` on ${node}`}`
}
