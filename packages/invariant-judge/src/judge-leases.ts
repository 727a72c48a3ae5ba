import type { Lease } from '@berth/types'
import type { AuditedObject, Write } from './audit-record.ts'

/** The processes of which one at a time may bind: the one that holds the Lease. */
export interface LeaderRule {
  /** The Lease, as `namespace/name`. */
  readonly lease: string
  /** Matches the user agents of the candidates. Each process has a user agent of its own. */
  readonly candidates: RegExp
}

/** Finds takeovers of Leases that had not expired, and binds of processes that do not hold the Lease. */
export interface LeaseRecord {
  /** Reads a write. Returns a sentence if it breaks a rule. */
  faultOf(write: Write): string | undefined
}

interface Held {
  readonly holder: string
  readonly userAgent: string
  /** The last renewal, by the clock of the API server. Clocks of the candidates do not count. */
  readonly renewal: Pick<Write, 'receivedMs' | 'atMs'>
  readonly durationMs: number
}

/** A kubelet renews its own Lease in this namespace. It does not compete for it. */
const HEARTBEATS = 'kube-node-lease'

/** Creates a record of the Leases, from the times of the audit log alone. */
export function createLeaseRecord(rule: LeaderRule | undefined): LeaseRecord {
  const leases = new Map<string, Held>()

  function leaseFault(write: Write): string | undefined {
    const { verb, target, sent, userAgent, atMs } = write
    const name = nameOf(target, sent)
    const before = leases.get(name)
    if (verb === 'delete') {
      leases.delete(name)
      return undefined
    }
    const { holderIdentity: holder = '', leaseDurationSeconds = 0 } =
      (sent as { readonly spec?: Lease['spec'] } | undefined)?.spec ?? {}
    leases.set(name, { holder, userAgent, renewal: write, durationMs: leaseDurationSeconds * 1_000 })
    if (before === undefined || before.holder === '' || holder === '' || before.holder === holder) return undefined
    const ageMs = atMs - before.renewal.receivedMs
    return ageMs >= before.durationMs
      ? undefined
      : `${userAgent} took the Lease ${name} ${seconds(ageMs)} after ${before.userAgent} had renewed it for ${seconds(before.durationMs)}`
  }

  return {
    faultOf(write) {
      const { target, userAgent, receivedMs } = write
      if (target.resource === 'leases') {
        return target.namespace === HEARTBEATS ? undefined : leaseFault(write)
      }
      // A report about a pod may arrive late. It changes nothing that another replica decides on.
      if (rule === undefined || target.subresource !== 'binding' || !rule.candidates.test(userAgent)) return undefined
      const held = leases.get(rule.lease)
      const what = `${userAgent} bound ${target.namespace}/${target.name}`
      if (held === undefined || held.holder === '') return `${what}, while the Lease ${rule.lease} had no holder`
      if (held.userAgent !== userAgent) return `${what}, while ${held.userAgent} held the Lease ${rule.lease}`
      const ageMs = receivedMs - held.renewal.atMs
      return ageMs > held.durationMs
        ? `${what} ${seconds(ageMs)} after it had renewed the Lease ${rule.lease} for ${seconds(held.durationMs)}`
        : undefined
    },
  }
}

function nameOf({ namespace, name }: AuditedObject, sent: unknown): string {
  const { metadata } = (sent ?? {}) as { readonly metadata?: { readonly name?: string } }
  return `${namespace}/${name ?? metadata?.name ?? ''}`
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
