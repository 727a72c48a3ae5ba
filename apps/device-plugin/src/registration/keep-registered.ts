import type { Clock, Logger, Random } from '@berth/types'
import { basename } from 'node:path'
import { backoffMs } from '../backoff.ts'
import { RegistrationError } from '../errors.ts'
import type { PluginServer, PluginServerEvents } from '../plugin-server/plugin-server.ts'
import { socketIdentity, watchSocket } from './watch-socket.ts'
import { wait } from '../wait.ts'

/** The kubelet has the socket, or accepted the registration, but opens no stream. */
const FIRST_STREAM_TIMEOUT_MS = 15_000
/** Nobody ever asked at a socket in the plugins registry: perhaps its making was missed. */
const FIRST_CONTACT_TIMEOUT_MS = 60_000
/**
 * With the plugin watcher the kubelet comes back by itself after its restart, and then the socket had better stay. A
 * kubelet that merely dropped the stream (1.36.3 does when an older process of the same resource ends) never does.
 */
const STREAM_RETURN_TIMEOUT_MS = 2000

/** How one resource is kept registered. */
export interface RegistrationOptions {
  readonly resourceName: string
  /** Path of kubelet.sock with classic registration; absent: the plugin watcher finds the socket. */
  readonly kubeletSocket?: string
  /** Serves on a fresh socket; stale ones are removed before. */
  readonly startServer: (
    events: Pick<PluginServerEvents, 'onStreamsChanged' | 'onRegistrationStatus'>,
  ) => Promise<PluginServer>
  /** One Register call, with the name of the socket. */
  readonly register: (endpoint: string) => Promise<void>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly onResult: (isOk: boolean) => void
}

/** How a registration stands. */
export interface RegistrationState {
  /** Streams that the kubelet holds open. */
  streams: number
  /** Why there is none, for people. */
  problem: string
}

/**
 * Serves and registers a resource until the signal aborts. Whatever shows that the kubelet lost the plugin (the stream
 * ended, the own socket vanished, kubelet.sock is another file, no stream ever came) leads to one fresh server and one
 * registration, after a jittered delay in which the other signs of the same event come in.
 */
export async function keepRegistered(
  options: RegistrationOptions,
  state: RegistrationState,
  signal: AbortSignal,
): Promise<void> {
  const { resourceName, random, log } = options
  let attempt = 0
  while (!signal.aborted) {
    try {
      const hadStream = await serveUntilLost(options, state, signal)
      if (hadStream) attempt = 0
    } catch (error) {
      if (signal.aborted) return
      options.onResult(false)
      state.problem = error instanceof Error ? error.message : String(error)
      log.warn({ err: error, resourceName, attempt }, 'Registration failed')
    }
    state.streams = 0
    await waitForKubelet(options, backoffMs(attempt++, random), signal)
  }
}

/** A kubelet that has just come up is not kept waiting. */
async function waitForKubelet(options: RegistrationOptions, delayMs: number, signal: AbortSignal): Promise<void> {
  const { kubeletSocket, clock, random } = options
  if (kubeletSocket === undefined) return wait(clock, delayMs, signal)
  const known = await socketIdentity(kubeletSocket)
  let wake = (): void => {}
  let isOver = false
  const onChange = (identity: string | undefined): void => {
    // It has bound the socket, and serves a moment later.
    if (identity !== undefined)
      clock.setTimer(backoffMs(0, random, { firstMs: 200, mostMs: 200 }), () => !isOver && wake())
  }
  using _ = watchSocket({ path: kubeletSocket, known, onChange, clock })
  await wait(clock, delayMs, signal, (wakeUp) => {
    wake = wakeUp
  })
  isOver = true
  return undefined
}

async function serveUntilLost(
  options: RegistrationOptions,
  state: RegistrationState,
  signal: AbortSignal,
): Promise<boolean> {
  const { resourceName, kubeletSocket, clock, log } = options
  const lost = new AbortController()
  const markLost = (why: string): void => {
    if (lost.signal.aborted || signal.aborted) return
    state.problem = why
    log.warn({ resourceName, reason: why }, 'Kubelet lost the plugin, registering again')
    lost.abort()
  }
  const stopped = AbortSignal.any([lost.signal, signal])
  let hadStream = false
  let cancelDeadline = (): void => {}
  const markLostAfter = (delayMs: number, why: string): void => {
    cancelDeadline()
    if (lost.signal.aborted) return
    const timer = clock.setTimer(delayMs, () => markLost(why))
    cancelDeadline = () => timer.cancel()
  }

  // What is there before Register is the kubelet that answers it: a later one is another kubelet.
  const kubeletBefore = kubeletSocket === undefined ? undefined : await socketIdentity(kubeletSocket)
  await using server = await options.startServer({
    onStreamsChanged(open) {
      state.streams = open
      if (open > 0) {
        if (!hadStream) log.info({ resourceName }, 'Kubelet follows the devices')
        hadStream = true
        cancelDeadline()
      } else if (kubeletSocket !== undefined) markLost('the kubelet ended the device stream')
      else {
        state.problem = 'the kubelet ended the device stream'
        markLostAfter(
          STREAM_RETURN_TIMEOUT_MS,
          `the kubelet ended the device stream and did not return within ${STREAM_RETURN_TIMEOUT_MS / 1000} s`,
        )
      }
    },
    onRegistrationStatus(error) {
      options.onResult(error === undefined)
      if (error === undefined) log.info({ resourceName }, 'Registered with the kubelet')
      else {
        state.problem = `the kubelet refused the registration: ${error}`
        log.warn(
          { resourceName, err: new RegistrationError(`register ${resourceName}: ${error}`) },
          'Registration failed',
        )
      }
      if (!hadStream) markLostAfter(FIRST_STREAM_TIMEOUT_MS, 'the kubelet opened no device stream')
    },
  })
  try {
    const path = server.socketPath
    using _own = watchSocket({
      path,
      known: await socketIdentity(path),
      onChange: () => markLost('the socket was removed'),
      clock,
    })
    if (kubeletSocket === undefined) {
      markLostAfter(FIRST_CONTACT_TIMEOUT_MS, 'the kubelet did not ask at the socket')
      state.problem = 'the kubelet has not asked at the socket yet'
      log.info({ resourceName, socket: path }, 'Waiting for the kubelet')
      await wait(clock, 2 ** 31 - 1, stopped)
    } else {
      using _kubelet = watchSocket({
        path: kubeletSocket,
        known: kubeletBefore,
        onChange: (identity) => {
          if (identity !== undefined) markLost('the kubelet was started again')
        },
        clock,
      })
      if (kubeletBefore === undefined)
        throw new RegistrationError(`register ${resourceName}: there is no ${kubeletSocket}`)
      await options.register(basename(path))
      options.onResult(true)
      log.info({ resourceName, socket: path }, 'Registered with the kubelet')
      if (!hadStream) markLostAfter(FIRST_STREAM_TIMEOUT_MS, 'the kubelet opened no device stream')
      await wait(clock, 2 ** 31 - 1, stopped)
    }
  } finally {
    cancelDeadline()
    // Ending the streams ourselves is no loss.
    lost.abort()
  }
  return hadStream
}
