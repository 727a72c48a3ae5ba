import { type Backoff, createBackoff, sleep } from '@berth/clock'
import {
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  BerthError,
  type Clock,
  isRecord,
  type Logger,
  type Random,
} from '@berth/types'
import { encodeEnvelope } from '@berth/kube-schema/protobuf'
import { linkAbort, type LinkedAbort } from '../async/link-abort.ts'
import { orAborted } from '../async/or-aborted.ts'
import type { CallOptions, CallPriority } from './call-options.ts'
import { writtenKindOf } from '../encoding/protobuf-kinds.ts'
import {
  ACCEPT,
  ACCEPT_METADATA,
  disableProtobuf,
  isEncodingRefused,
  MEDIA_TYPES,
  type EncodingSupport,
} from '../encoding/wire-encoding.ts'
import { ApiError, type CallSubject } from '../errors/api-error.ts'
import { TransportError } from '../errors/transport-error.ts'
import type { RateLimit } from './rate-limit.ts'
import { parseBody, readBody, retryAfterMs, statusOf } from './response-body.ts'
import { isWithheld, withheldError } from '../transport/fenced-request.ts'
import { closedError } from '../errors/transport-error.ts'
import { toTransportError } from '../transport/to-transport-error.ts'

const DEFAULT_DEADLINE_MS = 30_000
/** No retry starts later than this after the first attempt, even if Retry-After is longer. */
const RETRY_WINDOW_MS = 60_000
/** client-go's value. */
const MAX_THROTTLED_RETRIES = 10
const MAX_CONNECTION_RETRIES = 3
const MAX_ERROR_BYTES = 1024 * 1024
const MAX_OBJECT_BYTES = 64 * 1024 * 1024

/** One call of the API: the request, and the name of the operation in messages. */
export interface Call extends CallOptions {
  readonly subject: CallSubject
  readonly method: ApiRequest['method']
  readonly path: string
  readonly body?: unknown
  readonly contentType?: string
  /** Decodes a response in protobuf, which is asked for where the server supports it. Default: the response is asked for in JSON. */
  readonly decode?: (body: Uint8Array) => unknown
  /** The response may have nothing but the metadata of the object. Default: false. */
  readonly returnsMetadata?: boolean
}

/** Sends calls with one rate limit, a deadline, retries and typed errors. */
export interface RestClient {
  /** Sends a call and decodes its JSON response. */
  json<T>(call: Call): Promise<T>
  /** Sends a request unchanged, apart from the rate limit and headers. */
  raw(request: ApiRequest, priority?: CallPriority): Promise<ApiResponse>
  /** Ends every call in flight, and refuses new ones. */
  close(): void
}

/** The dependencies of {@link createRestClient}. */
export interface RestClientOptions {
  readonly handler: ApiHandler
  readonly limit: RateLimit
  readonly userAgent: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** The encoding of bindings and events. Default: JSON. */
  readonly encoding?: EncodingSupport
  /** Deadline of one attempt of a call that names none. Default: 30 s. */
  readonly deadlineMs?: number
}

/** Creates a {@link RestClient} whose handler is a transport, or an API server in this process. */
export function createRestClient(options: RestClientOptions): RestClient {
  const { handler, limit, userAgent, clock, random, log, encoding = { preferred: 'json' } } = options
  const closing = new AbortController()

  /** @param linked - Follows the signals of the client and the call. Aborts when the deadline passes. */
  const attempt = async <T>(call: Call, request: ApiRequest, linked: LinkedAbort): Promise<T> => {
    const what = `${call.method} ${call.path}`
    const deadlineMs = call.deadlineMs ?? options.deadlineMs ?? DEFAULT_DEADLINE_MS
    const timer = clock.setTimer(deadlineMs, () => linked.abort(timeout(what, deadlineMs)))
    const send = async (): Promise<T> => {
      const { mayStart } = call
      const fenced = { ...request, signal: linked.signal, ...(mayStart === undefined ? {} : { mayStart }) }
      if (isWithheld(fenced)) throw withheldError(fenced)
      const response = await handler(fenced)
      if (response.status >= 400) {
        const status = statusOf(await readBody(response.body, MAX_ERROR_BYTES, what))
        throw new ApiError(call.subject, response.status, status, retryAfterMs(response.headers))
      }
      return parseBody(await readBody(response.body, MAX_OBJECT_BYTES, what), what, call.decode) as T
    }
    try {
      return await orAborted(send(), linked.signal)
    } catch (error) {
      // Handlers in this process and incomplete bodies throw other errors.
      throw error instanceof BerthError ? error : handlerError(error, call)
    } finally {
      timer.cancel()
    }
  }

  const json = async <T>(call: Call): Promise<T> => {
    let request = encode(call, userAgent, encoding)
    const startedAt = clock.monotonic()
    let backoff: Backoff | undefined
    const retries = { throttled: 0, connection: 0 }
    let mayHaveActed = false
    for (;;) {
      const linked = linkAbort(closing.signal, call.signal)
      try {
        await limit.acquire(call.priority ?? 'normal', linked.signal).catch((error: unknown) => {
          throw closing.signal.aborted ? closedError('call') : error
        })
        return await attempt<T>(call, request, linked)
      } catch (cause) {
        // The server has not acted on a body that it cannot decode.
        if (cause instanceof ApiError && isEncodingRefused(cause.status) && usesProtobuf(request)) {
          disableProtobuf(encoding, cause.status, log)
          request = encode(call, userAgent, encoding)
          continue
        }
        const error: unknown = mayHaveActed ? withUnknownDelivery(cause) : cause
        mayHaveActed ||= !isRefusal(error)
        backoff ??= createBackoff({ initialMs: 100, maxMs: 2_000, jitter: 1, resetAfterMs: Infinity, clock, random })
        const pause = pauseBeforeRetry(call, error, retries, backoff.next(), random)
        if (pause === undefined || clock.monotonic() - startedAt + pause > RETRY_WINDOW_MS) {
          log.debug({ err: error, path: call.path }, 'A call failed')
          throw error
        }
        log.debug({ err: error, pauseMs: Math.round(pause), path: call.path }, 'Retrying a call')
        await waitUnlessEnded(pause, call)
      } finally {
        linked.release()
      }
    }
  }

  /** The link of the attempt is of no use here: it has aborted if the deadline passed. */
  const waitUnlessEnded = async (ms: number, { signal }: Call): Promise<void> => {
    const linked = linkAbort(closing.signal, signal)
    await sleep(clock, ms, linked.signal).finally(() => linked.release())
  }

  return {
    json,
    async raw(request, priority = 'normal') {
      if (closing.signal.aborted) throw closedError('call')
      await limit.acquire(priority, request.signal)
      return handler({ ...request, headers: { 'user-agent': userAgent, ...request.headers } })
    },
    close: () => closing.abort(closedError('call', 'unknown')),
  }
}

/** Returns the milliseconds until the next attempt; undefined if the error is final. */
function pauseBeforeRetry(
  call: Call,
  error: unknown,
  retries: { throttled: number; connection: number },
  backoffMs: number,
  random: Random,
): number | undefined {
  if (error instanceof ApiError) {
    const isThrottled = error.status === 429 && call.retriesThrottled !== false
    const hasRetryAfter = error.status >= 500 && error.retryAfterMs !== undefined && isRepeatable(call)
    if (!(isThrottled || hasRetryAfter) || retries.throttled >= MAX_THROTTLED_RETRIES) return undefined
    retries.throttled += 1
    return error.retryAfterMs === undefined ? backoffMs : error.retryAfterMs * (1 + 0.1 * random())
  }
  if (!(error instanceof TransportError) || !error.retryable) return undefined
  // A write that may have arrived must not be sent twice.
  if (error.delivered === 'unknown' && call.method !== 'GET') return undefined
  // A server that refuses a stream is alive and asks for another connection, for example after GOAWAY.
  if (error.code === 'BERTH_API_REFUSED') {
    if (retries.throttled >= MAX_THROTTLED_RETRIES) return undefined
    retries.throttled += 1
    return backoffMs
  }
  if (retries.connection >= MAX_CONNECTION_RETRIES) return undefined
  retries.connection += 1
  return backoffMs
}

/**
 * Returns whether a call that may have taken effect can be repeated safely: the repetition changes nothing, or the
 * server rejects it. Objects with generateName and JSON patches without a test cannot be repeated.
 */
function isRepeatable({ method, body, contentType }: Call): boolean {
  if (contentType === 'application/json-patch+json')
    return Array.isArray(body) && body.some((operation) => isRecord(operation) && operation['op'] === 'test')
  if (method !== 'POST' || !isRecord(body) || !isRecord(body['metadata'])) return true
  const { name, generateName } = body['metadata']
  return generateName === undefined || name !== undefined
}

/** Returns whether the call certainly had no effect. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ApiError) return error.status < 500
  return error instanceof TransportError && error.delivered === 'no'
}

/** Sets `delivered` of the last attempt's error to `unknown`, because an earlier attempt may have taken effect. */
function withUnknownDelivery(error: unknown): unknown {
  if (!(error instanceof TransportError) || error.delivered === 'unknown') return error
  const { message, code, retryable, hint } = error
  const rest = hint === undefined ? {} : { hint }
  return new TransportError(message, { code, retryable, delivered: 'unknown', cause: error, ...rest })
}

function usesProtobuf({ headers }: ApiRequest): boolean {
  return headers['accept'] === ACCEPT.protobuf
}

function encode(call: Call, userAgent: string, { preferred }: EncodingSupport): ApiRequest {
  const isChoice = preferred === 'protobuf' && call.method === 'POST' && call.contentType === undefined
  const kind = isChoice ? writtenKindOf(call.body) : undefined
  if (kind !== undefined) {
    const headers = { accept: ACCEPT.protobuf, 'user-agent': userAgent, 'content-type': MEDIA_TYPES.protobuf }
    return { method: call.method, path: call.path, headers, body: encodeEnvelope(kind, call.body as object) }
  }
  const read = call.decode === undefined ? 'json' : preferred
  const accept = call.returnsMetadata === true ? ACCEPT_METADATA : ACCEPT[read]
  const headers = { accept, 'user-agent': userAgent }
  if (call.body === undefined) return { method: call.method, path: call.path, headers }
  return {
    method: call.method,
    path: call.path,
    headers: { ...headers, 'content-type': call.contentType ?? MEDIA_TYPES.json },
    body: Buffer.from(JSON.stringify(call.body)),
  }
}

function handlerError(error: unknown, call: Call): Error {
  const request = {
    method: call.method,
    path: call.path,
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  }
  return toTransportError(error, { server: '', request, isSent: true })
}

function timeout(what: string, deadlineMs: number): TransportError {
  return new TransportError(`${what}: no answer within ${deadlineMs / 1000} s`, {
    code: 'BERTH_API_TIMEOUT',
    delivered: 'unknown',
  })
}
