import { pause } from '@berth/clock'
import type { Clock, Logger } from '@berth/types'
import { findServedSocket, type SocketDirectory } from './socket-directory.ts'
import { socketIdentity, watchSocket } from './watch-socket.ts'

/** A killed process leaves its sockets, so their disappearance is not the only sign that it ended. */
const LOOK_INTERVAL_MS = 1_000

/** Dependencies of {@link standBy}. */
export interface StandbyOptions {
  /** Called with true when the wait begins, and with false when it ends. Not called if there is nothing to wait for. */
  readonly onStandby: (isWaiting: boolean) => void
  readonly clock: Clock
  readonly log: Logger
  readonly signal: AbortSignal
}

/**
 * Waits until no other process serves from the directory, or until the signal aborts. With two plugins for one resource,
 * kubelet 1.36.3 drops the newer stream when the older process ends, so the streams of an update must not overlap.
 */
export async function standBy(directory: SocketDirectory, options: StandbyOptions): Promise<void> {
  const { onStandby, clock, log, signal } = options
  let path = await servedSocket(directory, log)
  if (path === undefined) return
  onStandby(true)
  log.info({ socket: path }, 'Standing by while another process serves from the socket directory')
  while (path !== undefined && !signal.aborted) {
    await untilChanged(path, clock, signal)
    path = await servedSocket(directory, log)
  }
  onStandby(false)
}

/** A directory that cannot be read has no socket that this process can wait for. */
async function servedSocket(directory: SocketDirectory, log: Logger): Promise<string | undefined> {
  try {
    return await findServedSocket(directory)
  } catch (err) {
    log.warn({ err, directory: directory.path }, 'Could not look for another process: serving at once')
    return undefined
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
