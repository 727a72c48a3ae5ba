import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { forgetListeners } from '@berth/k8s-client'
import type { Readable } from 'node:stream'
import type { Clock, Timer } from '@berth/types'
import { type Call, CONTENT_TYPE } from './call.ts'

/** Times of {@link http2Call}. */
export interface Http2Bounds {
  /** Time for the body of a request, and for reading its response, milliseconds. */
  readonly requestMs: number
  readonly clock: Clock
}

/**
 * Returns a stream as a call. Its connection ends when the caller does not finish the body, or does not read the response, in
 * time: a body counts as in flight until its response is read, so that few unread responses would keep every other caller out.
 * For HTTP/1.1, the server of Node has such bounds.
 *
 * The last frame of a response has both its last bytes and its end. Node's response object sends the end in a frame of its own,
 * in case trailers follow. Go's client has often read the JSON before that frame arrives, and then resets the stream.
 */
export function http2Call(
  stream: ServerHttp2Stream,
  session: ServerHttp2Session,
  headers: IncomingHttpHeaders,
  { requestMs, clock }: Http2Bounds,
): Call {
  const deadline = startDeadline(clock, requestMs, () => session.destroy())
  const listeners: (() => void)[] = []
  stream.on('end', () => deadline.bodyEnded())
  stream.on('close', () => {
    deadline.cancel()
    for (const listener of listeners) listener()
    forgetListeners(stream)
  })
  return {
    method: headers[':method'] ?? '',
    url: headers[':path'] ?? '',
    contentType: headers['content-type'] ?? '',
    announcedBytes: Number(headers['content-length'] ?? 0),
    body: stream,
    connection: { key: session, socket: session.socket },
    readsResponseLast: false,
    respond(status, json) {
      if (stream.closed || stream.destroyed || stream.headersSent) return
      deadline.responseBegan()
      stream.respond({ ':status': status, 'content-type': CONTENT_TYPE, 'content-length': json.length })
      stream.end(json)
    },
    closeConnection: () => void listeners.push(() => session.close()),
    onClose: (listener) => void listeners.push(listener),
  }
}

/** The time that the caller has: from the start for the body, and again from the response for reading it. */
interface Deadline {
  /** Stops the time of the body. Does nothing once the response has begun: the body of a refused call may end later. */
  bodyEnded(): void
  responseBegan(): void
  cancel(): void
}

/** Starts a deadline. It has one timer, which is set again when it is early: to set and cancel a timer for each part of a call takes longer. */
function startDeadline(clock: Clock, limitMs: number, onMissed: () => void): Deadline {
  let endMs = clock.monotonic() + limitMs
  let hasResponse = false
  let timer: Timer
  const check = (): void => {
    const leftMs = endMs - clock.monotonic()
    if (leftMs > 0) timer = clock.setTimer(Math.min(leftMs, limitMs), check)
    else onMissed()
  }
  timer = clock.setTimer(limitMs, check)
  return {
    bodyEnded() {
      if (!hasResponse) endMs = Infinity
    },
    responseBegan() {
      hasResponse = true
      endMs = clock.monotonic() + limitMs
    },
    cancel: () => timer.cancel(),
  }
}

/** Returns whether a body is a stream of HTTP/2. Node exports no class for a check. */
export function isHttp2Stream(body: Readable): body is ServerHttp2Stream {
  return 'pushAllowed' in body
}
