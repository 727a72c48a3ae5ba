import { backoffMs, jitter, pause } from '@berth/clock'
import { untilAborted } from '@berth/process/shutdown'
import { errorText } from '@berth/text/error-text'
import type { Clock, Logger, Random, Timer } from '@berth/types'
import { basename } from 'node:path'
import { RegistrationError } from '../errors.ts'
import type { PluginServerEvents } from '../plugin-server/plugin-handlers.ts'
import type { PluginServer } from '../plugin-server/plugin-server.ts'
import type { NodeSockets } from './node-sockets.ts'

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
/** Why the plugin counts as lost when the kubelet opens no stream in time. */
const NO_STREAM = 'the kubelet opened no device stream'
const RETRY_LIMITS = { initialMs: 300, maxMs: 10_000 }
const RETRY_JITTER = 0.2

/** Dependencies of {@link keepRegistered}. */
export interface RegistrationOptions {
  readonly resourceName: string
  /** Path of kubelet.sock for classic registration. Omit to let the plugin watcher find the socket. */
  readonly kubeletSocket?: string
  readonly sockets: Pick<NodeSockets, 'identity' | 'watch'>
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
  /** Path of the plugin's own socket while it is served. */
  socketPath?: string | undefined
  /** Ends the current registration and registers once more, while the plugin is served. */
  registerAgain?: ((reason: string) => void) | undefined
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
  const { kubeletSocket, sockets, clock, random } = options
  if (kubeletSocket === undefined) return pause(clock, delayMs, signal)
  const known = await sockets.identity(kubeletSocket)
  const wake = new AbortController()
  const onChange = (identity: string | undefined): void => {
    if (identity !== undefined) clock.setTimer(jitter(KUBELET_START_MS, RETRY_JITTER, random), () => wake.abort())
  }
  using _ = sockets.watch({ path: kubeletSocket, known, onChange, clock })
  await pause(clock, delayMs, AbortSignal.any([wake.signal, signal]))
  return undefined
}

/** Serves on one socket. Returns whether the kubelet opened a stream before it lost the plugin. */
async function serveUntilLost(
  options: RegistrationOptions,
  state: RegistrationState,
  signal: AbortSignal,
): Promise<boolean> {
  const { kubeletSocket, sockets, clock } = options
  const loss = createLossDetector(options, state, signal)
  // Read before Register: if kubelet.sock changes afterwards, another kubelet has started.
  const kubeletBefore = kubeletSocket === undefined ? undefined : await sockets.identity(kubeletSocket)
  await using server = await options.startServer(serverEvents(options, state, loss))
  const path = server.socketPath
  state.socketPath = path
  state.registerAgain = (reason) => loss.markLost(reason)
  try {
    using _own = sockets.watch({
      path,
      known: await sockets.identity(path),
      onChange: () => loss.markLost('the socket was removed'),
      clock,
    })
    if (kubeletSocket === undefined) {
      // The kubelet may have opened its stream as soon as the server listened.
      if (!loss.hadStream) {
        loss.markLostAfter(FIRST_CONTACT_TIMEOUT_MS, 'the kubelet did not contact the socket')
        state.problem = 'the kubelet has not contacted the socket yet'
        options.log.info({ resourceName: options.resourceName, socket: path }, 'Waiting for the kubelet')
      }
      await untilAborted(loss.stopped)
    } else {
      using _kubelet = sockets.watch({
        path: kubeletSocket,
        known: kubeletBefore,
        onChange: (identity) => {
          if (identity !== undefined) loss.markLost('the kubelet was restarted')
        },
        clock,
      })
      await registerOnce(options, path, kubeletBefore !== undefined)
      if (!loss.hadStream) loss.markLostAfter(FIRST_STREAM_TIMEOUT_MS, NO_STREAM)
      await untilAborted(loss.stopped)
    }
  } finally {
    state.socketPath = undefined
    state.registerAgain = undefined
    // The streams end now on purpose: the kubelet did not lose the plugin.
    loss.end()
  }
  return loss.hadStream
}

async function registerOnce(options: RegistrationOptions, path: string, hasKubelet: boolean): Promise<void> {
  const { resourceName, kubeletSocket, log } = options
  if (!hasKubelet) throw new RegistrationError(`register ${resourceName}: ${kubeletSocket} does not exist`)
  await options.register(basename(path))
  options.onResult(true)
  log.info({ resourceName, socket: path }, 'Registered with the kubelet')
}

/** Records the streams of one server, and that the kubelet lost the plugin. */
interface LossDetector {
  /** Whether the kubelet has opened a stream. */
  hadStream: boolean
  /** Aborts when the kubelet has lost the plugin, and when the app stops. */
  readonly stopped: AbortSignal
  markLost(reason: string): void
  /** Replaces an earlier deadline. */
  markLostAfter(delayMs: number, reason: string): void
  cancelDeadline(): void
  /** Ends the detection without a loss. */
  end(): void
}

function createLossDetector(
  { resourceName, clock, log }: RegistrationOptions,
  state: RegistrationState,
  signal: AbortSignal,
): LossDetector {
  const lost = new AbortController()
  let deadline: Timer | undefined
  const cancelDeadline = (): void => deadline?.cancel()
  const markLost = (reason: string): void => {
    if (lost.signal.aborted || signal.aborted) return
    state.problem = reason
    log.warn({ resourceName, reason }, 'Registering again')
    lost.abort()
  }
  return {
    hadStream: false,
    stopped: AbortSignal.any([lost.signal, signal]),
    markLost,
    markLostAfter(delayMs, reason) {
      cancelDeadline()
      if (!lost.signal.aborted) deadline = clock.setTimer(delayMs, () => markLost(reason))
    },
    cancelDeadline,
    end() {
      cancelDeadline()
      lost.abort()
    },
  }
}

function serverEvents(
  { resourceName, kubeletSocket, log, onResult }: RegistrationOptions,
  state: RegistrationState,
  loss: LossDetector,
): Parameters<RegistrationOptions['startServer']>[0] {
  return {
    onStreamsChanged(open) {
      state.streams = open
      if (open > 0) {
        if (!loss.hadStream) log.info({ resourceName }, 'Kubelet opened the device stream')
        loss.hadStream = true
        loss.cancelDeadline()
      } else if (kubeletSocket !== undefined) loss.markLost('the kubelet ended the device stream')
      else {
        state.problem = 'the kubelet ended the device stream'
        loss.markLostAfter(
          STREAM_RETURN_TIMEOUT_MS,
          `the kubelet ended the device stream and did not return within ${STREAM_RETURN_TIMEOUT_MS / 1000} s`,
        )
      }
    },
    onRegistrationStatus(error) {
      onResult(error === undefined)
      if (error === undefined) log.info({ resourceName }, 'Registered with the kubelet')
      else {
        state.problem = `the kubelet refused the registration: ${error}`
        log.warn(
          { resourceName, err: new RegistrationError(`register ${resourceName}: ${error}`) },
          'Registration failed',
        )
      }
      if (!loss.hadStream) loss.markLostAfter(FIRST_STREAM_TIMEOUT_MS, NO_STREAM)
    },
  }
}
