import type { ApiResponse } from '@berth/types'
import type { StatusError } from '../../schema/status/status-error.ts'

const encoder = new TextEncoder()

/** Returns a response with one piece of text. */
export function textResponse(
  status: number,
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return bytesResponse(status, contentType, encoder.encode(text), headers)
}

/** Number of characters that {@link piecewiseResponse} encodes at once. */
const CHUNK_CHARACTERS = 4 * 1024 * 1024

/**
 * Returns a response with text in pieces. A long text is encoded while the client reads it, because a list of a whole
 * large cluster is longer than a string can be. A short one is sent as {@link textResponse} does, with its length.
 */
export function piecewiseResponse(status: number, contentType: string, pieces: Iterable<string>): ApiResponse {
  const chunks = joined(pieces)
  const { value: first = '' } = chunks.next()
  const { value: second } = chunks.next()
  if (second === undefined) return textResponse(status, contentType, first)
  return {
    status,
    headers: { 'content-type': contentType },
    body: {
      async *[Symbol.asyncIterator]() {
        yield encoder.encode(first)
        yield encoder.encode(second)
        for (const chunk of chunks) yield encoder.encode(chunk)
      },
    },
  }
}

/**
 * Joins pieces to chunks.
 *
 * @yields Chunks of at least {@link CHUNK_CHARACTERS}, but for the last one.
 */
function* joined(pieces: Iterable<string>): Generator<string, undefined> {
  let chunk: string[] = []
  let length = 0
  for (const piece of pieces) {
    chunk.push(piece)
    length += piece.length
    if (length < CHUNK_CHARACTERS) continue
    yield chunk.join('')
    chunk = []
    length = 0
  }
  if (length > 0) yield chunk.join('')
}

/** Returns a response with bytes that are not text. */
export function bytesResponse(
  status: number,
  contentType: string,
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return {
    status,
    headers: { 'content-type': contentType, 'content-length': String(bytes.byteLength), ...headers },
    body: {
      async *[Symbol.asyncIterator]() {
        yield bytes
      },
    },
  }
}

/** Returns a response with a JSON value. */
export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return textResponse(status, 'application/json', JSON.stringify(value), headers)
}

/** Returns the response to a refused request. */
export function errorResponse(refusal: StatusError): ApiResponse {
  const seconds = refusal.status.details?.retryAfterSeconds
  return jsonResponse(
    refusal.status.code,
    refusal.status,
    seconds === undefined ? {} : { 'retry-after': String(seconds) },
  )
}

/** Returns the Warning header of a response; none without warnings. */
export function warningHeaders(warnings: readonly string[]): Readonly<Record<string, string>> {
  if (warnings.length === 0) return {}
  return { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', ') }
}
