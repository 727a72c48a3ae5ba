import { type LeaderElection, orAborted } from '@berth/k8s-client'
import type { Clock, Logger, Timer } from '@berth/types'

/** Options of {@link createLeadership}. */
export interface LeadershipOptions {
  /** Joins the election for the Lease. Disposing the election releases the Lease. */
  readonly joinElection: () => LeaderElection
  /** Waits until the cluster view is at least as new as this call. */
  readonly catchUp: (signal: AbortSignal) => Promise<void>
  /** Resolves when no bind is in flight. The Lease is released only then. */
  readonly drain: () => Promise<void>
  /** The replica leaves the election after this time without a bind call, milliseconds. */
  readonly idleMs: number
  readonly clock: Clock
  readonly log: Logger
}

/** The right to bind, which one replica has at a time. */
export interface Term {
  /** Returns whether this replica may still bind. Call it right before each write. */
  readonly mayWrite: () => boolean
  /** Aborts when the Lease is lost. A write in flight must end then, because it could arrive after those of the next leader. */
  readonly lost: AbortSignal
}

/**
 * The membership of this replica in the election of the replica that binds. A replica joins with its first bind call and
 * leaves when the calls stop, so that the replica that kube-scheduler calls becomes the leader.
 */
export interface Leadership extends AsyncDisposable {
  /**
   * Joins the election if necessary, and waits until this replica leads and its view is newer than its election.
   * Rejects when `signal` aborts, or when the Lease is lost meanwhile.
   */
  lead(signal: AbortSignal): Promise<Term>
  /** Returns whether this replica leads with a view newer than its election. */
  isReady(): boolean
  /** Returns the identity of the current leader as last seen; empty if there is none. */
  leader(): string
}

interface Candidacy {
  readonly election: LeaderElection
  isReady: boolean
  readonly ready: Promise<Term>
}

/** Creates the membership of a replica that has not joined yet. */
export function createLeadership(options: LeadershipOptions): Leadership {
  const { joinElection, catchUp, drain, idleMs, clock, log } = options
  let candidacy: Candidacy | undefined
  let idleTimer: Timer | undefined
  let leaving: Promise<void> = Promise.resolve()
  let isClosed = false

  const release = async (election: LeaderElection, earlier: Promise<void>): Promise<void> => {
    await earlier
    await drain()
    await election[Symbol.asyncDispose]()
  }

  const leave = (): void => {
    idleTimer?.cancel()
    idleTimer = undefined
    const left = candidacy
    candidacy = undefined
    if (left === undefined) return
    leaving = release(left.election, leaving)
  }

  const join = (): Candidacy => {
    const election = joinElection()
    const joined: Candidacy = { election, isReady: false, ready: becomeReady() }
    async function becomeReady(): Promise<Term> {
      await election.whenLeading()
      // The previous leader may have bound pods that the watch has not delivered yet.
      await catchUp(election.lost)
      joined.isReady = true
      log.info({}, 'Binding pods')
      return { mayWrite: () => election.stillLeader(), lost: election.lost }
    }
    joined.ready.catch(() => undefined)
    election.lost.addEventListener('abort', () => {
      if (candidacy === joined) candidacy = undefined
    })
    return joined
  }

  return {
    async lead(signal) {
      // A replica that leaves releases the Lease before it joins again.
      await orAborted(leaving, signal)
      if (isClosed) throw new Error('the extender is shutting down')
      candidacy ??= join()
      idleTimer?.cancel()
      idleTimer = clock.setTimer(idleMs, leave)
      return orAborted(candidacy.ready, signal)
    },
    isReady: () => candidacy?.isReady ?? false,
    leader: () => candidacy?.election.leader() ?? '',
    async [Symbol.asyncDispose]() {
      isClosed = true
      leave()
      await leaving
    },
  }
}
