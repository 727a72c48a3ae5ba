import type { ApiRequest, ApiResponse, Clock } from '@berth/types'
import { linkAbort } from '../../async/link-abort.ts'
import { orAborted } from '../../async/or-aborted.ts'
import { TransportError } from '../../errors/transport-error.ts'

/** Timeouts of a stream that carries no data. */
export interface IdleTimeouts {
  /** Until the response begins. */
  readonly headersMs: number
  /** Between two chunks. May change while the stream runs. */
  readonly bodyMs: () => number
}

/** No data arrived within the time limit, although the connection looks open. */
export class IdleTimeoutError extends TransportError {
  constructor(what: string, ms: number) {
    super(`${what}: no data for ${Math.round(ms / 1000)} s`, { code: 'BERTH_API_TIMEOUT', delivered: 'unknown' })
  }
}

/** Options of {@link openGuardedStream}. */
export interface GuardedStreamOptions {
  readonly send: (request: ApiRequest) => Promise<ApiResponse>
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly limits: IdleTimeouts
}

/** A response that ends in bounded time. The caller must call `close` after use. */
export interface GuardedStream {
  readonly response: ApiResponse
  readonly chunks: AsyncIterable<Uint8Array>
  close(): void
}

/** Sends a request and ends its stream when it is idle or when `signal` aborts, even if the handler ignores both. */
export async function openGuardedStream(request: ApiRequest, options: GuardedStreamOptions): Promise<GuardedStream> {
  const { send, clock, signal, limits } = options
  const what = `${request.method} ${request.path.split('?', 1)[0] ?? ''}`
  const linked = linkAbort(signal)
  let receivedAt = clock.monotonic()
  let limitMs = (): number => limits.headersMs
  const check = (): void => {
    const idleMs = clock.monotonic() - receivedAt
    if (idleMs >= limitMs()) linked.abort(new IdleTimeoutError(what, idleMs))
    // At least a millisecond: less may be lost when added to a large clock value, and the check would repeat forever.
    else timer = clock.setTimer(Math.max(1, limitMs() - idleMs), check)
  }
  let timer = clock.setTimer(limitMs(), check)
  const noteActivity = (): void => void (receivedAt = clock.monotonic())
  const close = (): void => {
    timer.cancel()
    linked.release()
    linked.abort(
      new TransportError(`${what}: closed`, { code: 'BERTH_API_CLOSED', retryable: false, delivered: 'unknown' }),
    )
  }

  try {
    const response = await orAborted(send({ ...request, signal: linked.signal }), linked.signal)
    noteActivity()
    limitMs = limits.bodyMs
    timer.cancel()
    timer = clock.setTimer(limitMs(), check)
    return { response, chunks: read(response.body, linked.signal, noteActivity), close }
  } catch (error) {
    close()
    throw error
  }
}

async function* read(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  noteActivity: () => void,
): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await orAborted(iterator.next(), signal)
      if (next.done === true) return
      noteActivity()
      yield next.value
    }
  } finally {
    // Not awaited: a handler that ignores the signal would never return.
    void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}
