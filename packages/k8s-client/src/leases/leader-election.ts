import { sleep } from '@berth/clock'
import type { Clock, Lease, Logger, Random } from '@berth/types'
import { linkAbort } from '../async/link-abort.ts'
import { orAborted } from '../async/or-aborted.ts'
import type { ApiClient } from '../api-client/api-client.ts'
import type { CallOptions } from '../calls/call-options.ts'
import { isApiStatus } from '../errors/api-error.ts'
import { checkLeaseTimes, JITTER_FACTOR } from './lease-times.ts'
import { microTime } from '../api-conventions/micro-time.ts'
import { resourceRefs } from '../api-conventions/resource-ref.ts'
import { closedError } from '../errors/transport-error.ts'

/** Options of {@link startLeaderElection}. Times default to kube-scheduler's: 15 s, 10 s, 2 s. */
export interface LeaderElectionOptions {
  readonly client: Pick<ApiClient, 'find' | 'create' | 'update'>
  /** The Lease that candidates compete for. */
  readonly namespace: string
  readonly name: string
  /** Unique per process, for example host name and a random part. */
  readonly identity: string
  /** Time that other candidates wait after the last renewal that they saw; whole seconds. */
  readonly leaseDurationMs?: number
  /** The leader stops leading if it cannot renew the lease for this long. */
  readonly renewDeadlineMs?: number
  readonly retryPeriodMs?: number
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** One candidate of an election. Disposing it releases the lease, so that another candidate can lead at once. */
export interface LeaderElection extends AsyncDisposable {
  /** Waits until this process leads. Rejects if `signal` aborts or the election is disposed first. */
  whenLeading(signal?: AbortSignal): Promise<void>
  /**
   * Returns whether this process may still act as leader: it leads, and has renewed the lease within the renew deadline
   * by its own monotonic clock. Call it right before every write that only the leader may make.
   */
  stillLeader(): boolean
  /**
   * Returns the monotonic time at which this process learned that it leads. A read that began later contains every write
   * that the API server had accepted from the leader before. Infinity while it has not led.
   */
  leadingSinceMs(): number
  /** Resolves when the first attempt to win the lease has ended, whether or not it was won. */
  readonly tried: Promise<void>
  /** Aborts when the lease is lost or released. The process must then stop acting as leader, preferably by exiting. */
  readonly lost: AbortSignal
  /** Identity of the current leader as last seen; empty if there is none. */
  leader(): string
}

/**
 * The lease as last seen, with the local time at which it was seen: clocks of different machines are never compared.
 */
interface Observed {
  readonly lease: Lease
  readonly record: string
  readonly atMs: number
}

/**
 * Reads of a held Lease for each retry period. A renewal that is seen late delays the takeover by as much, because a Lease
 * expires after its duration since it was seen. kube-scheduler reads it every 2 to 4.4 s.
 */
const READS_PER_RETRY = 8

/**
 * Competes for a Lease until it is won, then renews it until it is lost or the election is disposed.
 *
 * @throws LeaseTimesError BERTH_LEASE_TIMES
 * @see kubernetes v1.36 staging/src/k8s.io/client-go/tools/leaderelection/leaderelection.go
 */
export function startLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const { client, namespace, name, identity, clock, random, log } = options
  const leaseDurationMs = options.leaseDurationMs ?? 15_000
  const renewDeadlineMs = options.renewDeadlineMs ?? 10_000
  const retryPeriodMs = options.retryPeriodMs ?? 2_000
  checkLeaseTimes(`${namespace}/${name}`, { leaseDurationMs, renewDeadlineMs, retryPeriodMs })
  const stopping = new AbortController()
  const lost = new AbortController()
  const leading = Promise.withResolvers<void>()
  leading.promise.catch(() => undefined)
  const tried = Promise.withResolvers<void>()
  let leadingSinceMs = Infinity
  let observed: Observed | undefined
  let isLeader = false
  /** Start of the last call that renewed, monotonic; the server cannot have renewed earlier. */
  let renewedAt = -Infinity

  const observe = (lease: Lease): void => {
    const record = JSON.stringify(lease.spec ?? {})
    const holder = lease.spec?.holderIdentity ?? ''
    if (observed?.record !== record) {
      if ((observed?.lease.spec?.holderIdentity ?? '') !== holder) log.info({ leader: holder }, 'The leader changed')
      observed = { lease, record, atMs: clock.monotonic() }
    } else observed = { ...observed, lease }
  }

  const find = (call: CallOptions): Promise<Lease | undefined> =>
    client.find<Lease>(resourceRefs.leases, { namespace, name }, call)

  /** A leader renews without reading the lease first. It reads it only if the lease has changed or is gone. */
  const tryAcquireOrRenew = async (signal: AbortSignal, isFast = isLeader): Promise<boolean> => {
    const startedAt = clock.monotonic()
    const call = { priority: 'exempt', signal, deadlineMs: renewDeadlineMs } as const
    const found = isFast ? observed?.lease : await find(call)
    if (found !== undefined && !isFast) observe(found)
    const holder = found?.spec?.holderIdentity ?? ''
    const heldMs = (found?.spec?.leaseDurationSeconds ?? leaseDurationMs / 1000) * 1000
    const isFresh = observed !== undefined && clock.monotonic() - observed.atMs < heldMs
    if (!isFast && holder !== '' && holder !== identity && isFresh) return false
    const desired = leaseFor(found, holder)
    try {
      const written =
        found === undefined
          ? await client.create(resourceRefs.leases, desired, call)
          : await client.update(resourceRefs.leases, desired, call)
      observe(written)
      renewedAt = startedAt
      return true
    } catch (error) {
      if (isFast && (isApiStatus(error, 409) || isApiStatus(error, 404))) return tryAcquireOrRenew(signal, false)
      if (!isApiStatus(error, 409)) throw error
      // Another candidate was faster, or an earlier write of this process arrived although its response was lost.
      const current = await find(call)
      if (current !== undefined) observe(current)
      return false
    }
  }

  const leaseFor = (found: Lease | undefined, holder: string): Lease => {
    const now = microTime(clock.now())
    const isOurs = holder === identity
    const transitions = found?.spec?.leaseTransitions ?? 0
    const { acquireTime } = found?.spec ?? {}
    return {
      ...found,
      metadata: found?.metadata ?? { namespace, name },
      spec: {
        ...found?.spec,
        holderIdentity: identity,
        leaseDurationSeconds: leaseDurationMs / 1000,
        acquireTime: isOurs && acquireTime !== undefined ? acquireTime : now,
        renewTime: now,
        leaseTransitions: found === undefined || isOurs ? transitions : transitions + 1,
      },
    }
  }

  const attempt = async (signal: AbortSignal): Promise<boolean> => {
    try {
      return await tryAcquireOrRenew(signal)
    } catch (err) {
      if (!signal.aborted) log.warn({ err, lease: `${namespace}/${name}` }, 'Failed to acquire or renew the lease')
      return false
    }
  }

  /** A candidate reads a Lease that another one holds more often than it would retry, and again when it expires. */
  const waitMs = (): number => {
    const { holderIdentity: holder = '', leaseDurationSeconds = leaseDurationMs / 1_000 } = observed?.lease.spec ?? {}
    const leftMs = (observed?.atMs ?? -Infinity) + leaseDurationSeconds * 1_000 - clock.monotonic()
    if (holder !== '' && holder !== identity && leftMs > 0) return Math.min(leftMs, retryPeriodMs / READS_PER_RETRY)
    return retryPeriodMs * (1 + JITTER_FACTOR * random())
  }

  const acquire = async (): Promise<void> => {
    while (!(await attempt(stopping.signal))) {
      tried.resolve()
      await sleep(clock, waitMs(), stopping.signal)
    }
    isLeader = true
    leadingSinceMs = clock.monotonic()
    tried.resolve()
    log.info({ lease: `${namespace}/${name}`, identity }, 'Leading')
    leading.resolve()
  }

  const renew = async (): Promise<void> => {
    for (;;) {
      await sleep(clock, retryPeriodMs, stopping.signal)
      const linked = linkAbort(stopping.signal)
      const giveUpAt = renewedAt + renewDeadlineMs
      const timer = clock.setTimer(Math.max(0, giveUpAt - clock.monotonic()), () =>
        linked.abort(new Error('the renew deadline has passed')),
      )
      try {
        while (!(await attempt(linked.signal))) {
          if (linked.signal.aborted || isHeldByOther()) return
          await sleep(clock, retryPeriodMs, linked.signal)
        }
      } catch {
        return
      } finally {
        timer.cancel()
        linked.release()
      }
    }
  }

  const isHeldByOther = (): boolean => (observed?.lease.spec?.holderIdentity ?? '') !== identity

  /** Reads the lease first, because a renewal in flight may have changed it, or may still do so. */
  const release = async (attempts = 2): Promise<void> => {
    const call = { priority: 'exempt', deadlineMs: retryPeriodMs } as const
    const current = await find(call)
    if (current?.spec?.holderIdentity !== identity) return
    const now = microTime(clock.now())
    const spec = { ...current.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now }
    try {
      observe(await client.update(resourceRefs.leases, { ...current, spec }, call))
    } catch (error) {
      if (!isApiStatus(error, 409) || attempts <= 1) throw error
      await release(attempts - 1)
    }
  }

  const run = async (): Promise<void> => {
    try {
      await acquire()
      await renew()
      if (!stopping.signal.aborted) log.error({ lease: `${namespace}/${name}`, identity }, 'Lost the lease')
    } catch (err) {
      if (!stopping.signal.aborted) log.error({ err }, 'The leader election stopped')
    }
    const wasLeader = isLeader
    isLeader = false
    tried.resolve()
    lost.abort(new Error(`lease ${namespace}/${name} is lost`))
    leading.reject(closedError(`lead ${namespace}/${name}`))
    if (wasLeader && stopping.signal.aborted) {
      await release().catch((err: unknown) => log.warn({ err }, 'Failed to release the lease'))
    }
  }
  const running = run()

  return {
    whenLeading: (signal) => orAborted(leading.promise, signal),
    stillLeader: () => isLeader && clock.monotonic() - renewedAt < renewDeadlineMs,
    leadingSinceMs: () => leadingSinceMs,
    tried: tried.promise,
    lost: lost.signal,
    leader: () => observed?.lease.spec?.holderIdentity ?? '',
    async [Symbol.asyncDispose]() {
      stopping.abort(closedError(`lead ${namespace}/${name}`))
      await running
    },
  }
}
