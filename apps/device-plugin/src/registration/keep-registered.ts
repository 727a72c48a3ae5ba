import { backoffMs, jitter, pause } from '@berth/clock'
import { errorText } from '@berth/text/error-text'
import type { Clock, Logger, Random } from '@berth/types'
import { basename } from 'node:path'
import { RegistrationError } from '../errors.ts'
import type { PluginServer, PluginServerEvents } from '../plugin-server/plugin-server.ts'
import { socketIdentity, watchSocket } from './watch-socket.ts'

/** Timeout for the first stream after the kubelet found the socket or accepted the registration. */
const FIRST_STREAM_TIMEOUT_MS = 15_000
/** Timeout for the first call at a socket in the plugins registry. The kubelet may have missed its creation. */
const FIRST_CONTACT_TIMEOUT_MS = 60_000
/**
 * Timeout for a new stream after the stream ended, with the plugin watcher. A restarted kubelet returns to the same
 * socket by itself, so the socket stays for this time. A kubelet that only dropped the stream does not return: kubelet
 * 1.36.3 drops it when an older process of the same resource ends.
 */
const STREAM_RETURN_TIMEOUT_MS = 2000
/** Time between the kubelet binding its socket and serving it. */
const KUBELET_START_MS = 200
const RETRY_LIMITS = { initialMs: 300, maxMs: 10_000 }
const RETRY_JITTER = 0.2
/** The maximum delay of a timer. It is used for a pause that only its signal ends. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Dependencies of {@link keepRegistered}. */
export interface RegistrationOptions {
  readonly resourceName: string
  /** Path of kubelet.sock for classic registration. Omit to let the plugin watcher find the socket. */
  readonly kubeletSocket?: string
  /** Removes stale sockets and serves on a new one. */
  readonly startServer: (
    events: Pick<PluginServerEvents, 'onStreamsChanged' | 'onRegistrationStatus'>,
  ) => Promise<PluginServer>
  /** Makes one Register call with the file name of the socket. */
  readonly register: (endpoint: string) => Promise<void>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly onResult: (isOk: boolean) => void
}

/** The current state of a registration, updated in place. */
export interface RegistrationState {
  /** Number of open streams of the kubelet. */
  streams: number
  /** Reason why there is no stream, for log and /readyz. */
  problem: string
}

/**
 * Serves and registers a resource until the signal aborts. When the kubelet loses the plugin (the stream ended, the
 * plugin's socket disappeared, kubelet.sock was replaced, or no stream was opened), starts one new server and registers
 * once. It waits for a jittered delay first, because one event usually has several of these signs.
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
      state.problem = errorText(error)
      log.warn({ err: error, resourceName, attempt }, 'Registration failed')
    }
    state.streams = 0
    await waitForKubelet(options, jitter(backoffMs(++attempt, RETRY_LIMITS), RETRY_JITTER, random), signal)
  }
}

/**
 * Waits for `delayMs`, or until kubelet.sock appears: a kubelet that has just started gets the plugin without delay.
 */
async function waitForKubelet(options: RegistrationOptions, delayMs: number, signal: AbortSignal): Promise<void> {
  const { kubeletSocket, clock, random } = options
  if (kubeletSocket === undefined) return pause(clock, delayMs, signal)
  const known = await socketIdentity(kubeletSocket)
  const wake = new AbortController()
  const onChange = (identity: string | undefined): void => {
    if (identity !== undefined) clock.setTimer(jitter(KUBELET_START_MS, RETRY_JITTER, random), () => wake.abort())
  }
  using _ = watchSocket({ path: kubeletSocket, known, onChange, clock })
  await pause(clock, delayMs, AbortSignal.any([wake.signal, signal]))
  return undefined
}

async function serveUntilLost(
  options: RegistrationOptions,
  state: RegistrationState,
  signal: AbortSignal,
): Promise<boolean> {
  const { resourceName, kubeletSocket, clock, log } = options
  const lost = new AbortController()
  const markLost = (reason: string): void => {
    if (lost.signal.aborted || signal.aborted) return
    state.problem = reason
    log.warn({ resourceName, reason }, 'Kubelet lost the plugin; registering again')
    lost.abort()
  }
  const stopped = AbortSignal.any([lost.signal, signal])
  let hadStream = false
  let cancelDeadline = (): void => {}
  const markLostAfter = (delayMs: number, reason: string): void => {
    cancelDeadline()
    if (lost.signal.aborted) return
    const timer = clock.setTimer(delayMs, () => markLost(reason))
    cancelDeadline = () => timer.cancel()
  }

  // Read before Register: if kubelet.sock changes afterwards, another kubelet has started.
  const kubeletBefore = kubeletSocket === undefined ? undefined : await socketIdentity(kubeletSocket)
  await using server = await options.startServer({
    onStreamsChanged(open) {
      state.streams = open
      if (open > 0) {
        if (!hadStream) log.info({ resourceName }, 'Kubelet opened the device stream')
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
      markLostAfter(FIRST_CONTACT_TIMEOUT_MS, 'the kubelet did not contact the socket')
      state.problem = 'the kubelet has not contacted the socket yet'
      log.info({ resourceName, socket: path }, 'Waiting for the kubelet')
      await pause(clock, MAX_TIMER_MS, stopped)
    } else {
      using _kubelet = watchSocket({
        path: kubeletSocket,
        known: kubeletBefore,
        onChange: (identity) => {
          if (identity !== undefined) markLost('the kubelet was restarted')
        },
        clock,
      })
      if (kubeletBefore === undefined)
        throw new RegistrationError(`register ${resourceName}: ${kubeletSocket} does not exist`)
      await options.register(basename(path))
      options.onResult(true)
      log.info({ resourceName, socket: path }, 'Registered with the kubelet')
      if (!hadStream) markLostAfter(FIRST_STREAM_TIMEOUT_MS, 'the kubelet opened no device stream')
      await pause(clock, MAX_TIMER_MS, stopped)
    }
  } finally {
    cancelDeadline()
    // The streams end now on purpose: the kubelet did not lose the plugin.
    lost.abort()
  }
  return hadStream
}
