import type { Readable } from 'node:stream'
import { RefusalError } from '../errors.ts'
import { tooManyNodes } from '../extender-args.ts'
import { createNameCounter } from './name-counter.ts'

/** Bounds of {@link readBody}. */
export interface BodyBounds {
  readonly maxBytes: number
  readonly maxNodes: number
}

/** The body is larger than its limit, and was not announced. */
class BodyTooLargeError extends Error {
  readonly statusCode = 413
}

/**
 * Reads a body. As soon as it exceeds a bound, the rest is read and dropped, so that the caller gets a response and no
 * memory is held.
 *
 * @throws RefusalError BERTH_EXTENDER_REQUEST for too many names; BodyTooLargeError.
 */
export async function readBody(payload: Readable, { maxBytes, maxNodes }: BodyBounds): Promise<Buffer> {
  const names = createNameCounter(maxNodes)
  let parts: Buffer[] = []
  let bytes = 0
  let problem: Error | undefined
  for await (const part of payload as AsyncIterable<Buffer>) {
    if (problem !== undefined) continue
    bytes += part.length
    parts.push(part)
    if (bytes > maxBytes) problem = new BodyTooLargeError(`the body has more than ${maxBytes} bytes`)
    else if (names.add(part)) {
      problem = new RefusalError(`read request: ${tooManyNodes(maxNodes)}`, { code: 'BERTH_EXTENDER_REQUEST' })
    }
    if (problem !== undefined) parts = []
  }
  if (problem !== undefined) throw problem
  return Buffer.concat(parts, bytes)
}
