import { pause } from '@berth/clock'
import type { Clock, Logger, Random } from '@berth/types'
import { claimDirectory, findServedSocket, type DirectoryClaim, type SocketDirectory } from './socket-directory.ts'
import { socketIdentity, watchSocket } from './watch-socket.ts'

/** A killed process leaves its sockets, so their disappearance is not the only sign that it ended. */
const LOOK_INTERVAL_MS = 1_000

/** Longest pause of one of several processes that claimed the directory at the same time. */
const CLAIM_RETRY_MS = 500

/** Dependencies of {@link standBy}. */
export interface StandbyOptions {
  /** Called with true when the wait begins, and with false when it ends. Not called if there is nothing to wait for. */
  readonly onStandby: (isWaiting: boolean) => void
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly signal: AbortSignal
}

/** The wait of a process for its turn to serve. Disposing ends the turn, so that the next process begins. */
export interface Standby extends AsyncDisposable {
  /** Resolves when this process may serve, and never if the signal aborts before. */
  readonly turn: Promise<void>
}

/**
 * Waits until no other process serves from the directory, and claims it: a process that registers again has no other
 * socket for a while. With two plugins for one resource, kubelet 1.36.3 drops the newer stream when the older process ends,
 * so the streams of an update must not overlap.
 */
export function standBy(directory: SocketDirectory, options: StandbyOptions): Standby {
  const { onStandby, clock, random, log, signal } = options
  let claim: DirectoryClaim | undefined
  let isWaiting = false

  async function untilFree(path: string): Promise<void> {
    if (!isWaiting) {
      isWaiting = true
      onStandby(true)
      log.info({ socket: path }, 'Standing by while another process serves from the socket directory')
    }
    await untilChanged(path, clock, signal)
  }

  /** Returns whether this process has the only claim. */
  async function tryToClaim(): Promise<boolean> {
    claim = await claimDirectory(directory, random)
    if ((await findServedSocket(directory, claim.path)) === undefined) return true
    // Another process began at the same time, and sees this claim as well.
    await claim[Symbol.asyncDispose]()
    claim = undefined
    await pause(clock, random() * CLAIM_RETRY_MS, signal)
    return false
  }

  async function begin(): Promise<void> {
    try {
      for (;;) {
        const path = await findServedSocket(directory)
        if (path !== undefined) await untilFree(path)
        if (signal.aborted) await new Promise<never>(() => {})
        if (path === undefined && (await tryToClaim())) break
      }
    } catch (err) {
      // Registration reports what is wrong with the directory.
      log.warn({ err, directory: directory.path }, 'Could not look for another process: serving at once')
    }
    if (isWaiting) onStandby(false)
  }

  return {
    turn: begin(),
    async [Symbol.asyncDispose]() {
      await claim?.[Symbol.asyncDispose]()
    },
  }
}

/** Waits until the socket disappears or is replaced, but not longer than the interval. */
async function untilChanged(path: string, clock: Clock, signal: AbortSignal): Promise<void> {
  const known = await socketIdentity(path)
  if (known === undefined) return
  const change = new AbortController()
  using _ = watchSocket({ path, known, onChange: () => change.abort(), clock })
  await pause(clock, LOOK_INTERVAL_MS, AbortSignal.any([change.signal, signal]))
}
