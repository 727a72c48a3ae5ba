import { constants, type ServerHttp2Stream } from 'node:http2'
import type { Readable } from 'node:stream'
import type { Clock } from '@berth/types'
import { isHttp2Stream } from './http2-call.ts'
import { createTurns } from './turns.ts'

/** Drops the rest of refused bodies. */
export interface BodyDiscarder {
  /**
   * Drops what has not been read of a body.
   *
   * Over HTTP/2, the promise resolves when the response may be sent, and the stream is reset after the response. Over HTTP/1.1,
   * it resolves when the body has ended, or its caller has closed the connection.
   */
  discard(payload: Readable): Promise<void>
}

/** Time between two reads, of all refused bodies together. */
const READ_GAP_MS = 2
/** Time between two responses to refused bodies over HTTP/2. Each has sent up to a MiB, the window of a stream: 30 MB a second. */
const RESET_GAP_MS = 35

/**
 * Creates a discarder. Decrypting refused bodies at full speed would delay every other call, so about 30 MB of them are
 * received in a second, of all callers together.
 *
 * Over HTTP/2, the caller stops when its stream is reset. Go's client returns a response that is complete before the reset. The callers
 * take turns by connection, so that the many streams of one do not delay the response to another one.
 *
 * HTTP/1.1 cannot stop a caller: when the server closes the connection, Go's client may fail while it writes and lose
 * the response. The body is read slowly.
 */
export function createBodyDiscarder(clock: Clock): BodyDiscarder {
  const readable = new Set<Readable>()
  const turns = createTurns(RESET_GAP_MS, clock)
  let isWaiting = false

  const readNext = (): void => {
    isWaiting = false
    const [payload] = readable
    if (payload === undefined) return
    readable.delete(payload)
    // All that has been received. The last read makes the stream receive more, or end.
    let part: unknown
    do part = payload.read()
    while (part !== null)
    wait()
  }
  const wait = (): void => {
    if (isWaiting || readable.size === 0) return
    isWaiting = true
    clock.setTimer(READ_GAP_MS, readNext)
  }
  const readSlowly = (payload: Readable): Promise<void> =>
    new Promise((resolve) => {
      payload.on('readable', () => {
        readable.add(payload)
        wait()
      })
      payload.once('end', resolve)
      payload.once('close', () => {
        readable.delete(payload)
        resolve()
      })
    })
  const resetAfterResponse = async (stream: ServerHttp2Stream): Promise<void> => {
    // Received data stays unread, so the caller sends no more than the window of the stream.
    stream.pause()
    stream.once('finish', () => {
      stream.close(constants.NGHTTP2_NO_ERROR)
      // A stream with unread data does not close by itself.
      setImmediate(() => stream.destroy())
    })
    await turns.take(stream.session ?? stream, (leave) => stream.once('close', leave))
  }

  return {
    discard(payload) {
      return isHttp2Stream(payload) ? resetAfterResponse(payload) : readSlowly(payload)
    },
  }
}
