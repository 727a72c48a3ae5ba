import { once } from 'node:events'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { ApiHandler, ApiRequest, ApiResponse } from '@berth/types'
import { MAX_BODY_BYTES, methodNotAllowed, errorResponse, requestTooLarge } from '@berth/embedded-api-server'
import { BrokenConnectionError } from '../faults/broken-connection-error.ts'

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Passes one HTTP request to a handler and sends its response. Never rejects: a broken connection ends the exchange. */
export async function handleExchange(
  handle: ApiHandler,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { method } = request
    if (!isMethod(method)) return await sendResponse(response, errorResponse(methodNotAllowed()), signal)
    const body = await readBody(request)
    if (body === undefined) return await sendResponse(response, errorResponse(requestTooLarge(MAX_BODY_BYTES)), signal)
    const headers = headersOf(request)
    const path = request.url ?? '/'
    const answer = await handle({ method, path, headers, signal, ...(body.byteLength === 0 ? {} : { body }) })
    await sendResponse(response, answer, signal)
  } catch (error) {
    // With HTTP/2, closing only the stream could look like a regular end to the client.
    if (error instanceof BrokenConnectionError && !signal.aborted) response.stream?.session?.destroy()
    response.stream?.destroy()
    response.socket?.destroy()
  }
}

/** Writes a response chunk by chunk, no faster than the client reads. */
export async function sendResponse(
  response: Http2ServerResponse,
  answer: ApiResponse,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(answer.status, { ...answer.headers, 'cache-control': 'no-cache, private' })
  // A watch without events yet must send its headers, so that the client sees that it is open.
  if (answer.headers['content-length'] === undefined) (response as { flushHeaders?(): void }).flushHeaders?.()
  for await (const chunk of answer.body) {
    if (signal.aborted) return
    if (!response.write(chunk)) await once(response, 'drain', { signal })
  }
  response.end()
}

/** Returns the body; undefined when it is larger than the limit. */
async function readBody(request: Http2ServerRequest): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength
    if (length <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  return length > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks)
}

function headersOf(request: Http2ServerRequest): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      value === undefined || name.startsWith(':') ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )
}

function isMethod(method: string): method is ApiRequest['method'] {
  return METHODS.has(method)
}
