import type { Readable } from 'node:stream'
import type { Clock } from '@berth/types'

/** Reads and drops the rest of refused bodies. */
export interface BodyDiscarder {
  /** Drops what has not been read of a body. Resolves when the body has ended, or its caller has closed the connection. */
  discard(payload: Readable): Promise<void>
}

/** Time between two reads, of all refused bodies together. */
const READ_GAP_MS = 2

/**
 * Creates a discarder. A refused body has to be read before the response is sent, because Go's client may otherwise fail
 * while it writes, and kube-scheduler would not show the message. It is read slowly, about 30 MB a second of all such
 * bodies together, because decrypting them at full speed would delay every other call.
 */
export function createBodyDiscarder(clock: Clock): BodyDiscarder {
  const readable = new Set<Readable>()
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

  return {
    discard: (payload) =>
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
      }),
  }
}
