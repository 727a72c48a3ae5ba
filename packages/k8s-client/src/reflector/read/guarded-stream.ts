import type { ApiRequest, ApiResponse, Clock } from '@berth/types'
import { linkAbort, orAborted } from '../../async/abortable.ts'
import { TransportError } from '../../errors/transport-error.ts'

/** How long a stream may be silent. */
export interface SilenceLimits {
  /** Until the answer begins. */
  readonly headersMs: number
  /** Between two chunks after that. May change while the stream runs. */
  readonly bodyMs: () => number
}

/** Thrown when nothing came for too long, while the connection looks open. */
export class SilenceError extends TransportError {
  constructor(what: string, ms: number) {
    super(`${what}: nothing heard for ${Math.round(ms / 1000)} s`, { code: 'BERTH_API_TIMEOUT', delivered: 'unknown' })
  }
}

/** What {@link openGuarded} needs. */
export interface GuardedOptions {
  readonly send: (request: ApiRequest) => Promise<ApiResponse>
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly limits: SilenceLimits
}

/** An answer whose reading ends in bounded time: `close` must be called when done with it. */
export interface GuardedResponse {
  readonly response: ApiResponse
  readonly chunks: AsyncIterable<Uint8Array>
  close(): void
}

/** Sends a request and watches over its stream: silence and `signal` end it, whatever the handler does. */
export async function openGuarded(request: ApiRequest, options: GuardedOptions): Promise<GuardedResponse> {
  const { send, clock, signal, limits } = options
  const what = `${request.method} ${request.path.split('?', 1)[0] ?? ''}`
  const linked = linkAbort(signal)
  let heardAt = clock.monotonic()
  let limitMs = (): number => limits.headersMs
  const check = (): void => {
    const silentMs = clock.monotonic() - heardAt
    if (silentMs >= limitMs()) linked.abort(new SilenceError(what, silentMs))
    // At least a millisecond: less may vanish in the sum with a large clock, and the check would run for ever.
    else timer = clock.setTimer(Math.max(1, limitMs() - silentMs), check)
  }
  let timer = clock.setTimer(limitMs(), check)
  const hear = (): void => void (heardAt = clock.monotonic())
  const close = (): void => {
    timer.cancel()
    linked.release()
    linked.abort(
      new TransportError(`${what}: closed`, { code: 'BERTH_API_CLOSED', retryable: false, delivered: 'unknown' }),
    )
  }

  try {
    const response = await orAborted(send({ ...request, signal: linked.signal }), linked.signal)
    hear()
    limitMs = limits.bodyMs
    timer.cancel()
    timer = clock.setTimer(limitMs(), check)
    return { response, chunks: read(response.body, linked.signal, hear), close }
  } catch (error) {
    close()
    throw error
  }
}

async function* read(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  hear: () => void,
): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await orAborted(iterator.next(), signal)
      if (next.done === true) return
      hear()
      yield next.value
    }
  } finally {
    // Not awaited: a handler that ignores the signal would never let go.
    void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}
