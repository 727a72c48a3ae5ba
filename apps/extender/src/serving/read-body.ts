import type { Readable } from 'node:stream'
import { RefusalError } from '../errors.ts'
import { tooManyNodes } from '../extender-args.ts'
import type { BodyRefusal, HeldBody } from './body-memory.ts'
import { createNameCounter } from './name-counter.ts'

/** Bounds of {@link readBody}. */
export interface BodyBounds {
  readonly maxBytes: number
  readonly maxNodes: number
}

/** Memory of a received part besides its bytes. Without it, a body in parts of one byte would take many times its size. */
const PART_OVERHEAD_BYTES = 128

const heldBodies = new WeakMap<object, HeldBody>()

/** Counts the body of a request from now on. {@link readBody} reports its parts. */
export function holdBody(payload: object, body: HeldBody): void {
  heldBodies.set(payload, body)
}

/** The body is larger than its limit, and was not announced. */
class BodyTooLargeError extends Error {
  readonly statusCode = 413
}

/**
 * Reads a body. As soon as it exceeds a bound, the rest is read and dropped, so that the caller gets a response and no
 * memory is held.
 *
 * @throws RefusalError BERTH_EXTENDER_REQUEST for too many names, or because bodies in flight need the memory;
 * BodyTooLargeError.
 */
export async function readBody(payload: Readable, { maxBytes, maxNodes }: BodyBounds): Promise<Buffer> {
  const names = createNameCounter(maxNodes)
  const held = heldBodies.get(payload)
  let parts: Buffer[] = []
  let bytes = 0
  let problem: Error | undefined
  const drop = (error: Error): void => {
    problem = error
    parts = []
    held?.release()
  }
  for await (const part of payload as AsyncIterable<Buffer>) {
    if (problem !== undefined) continue
    bytes += part.length
    const refusal = held?.add(part.length + PART_OVERHEAD_BYTES, () => drop(notHeld('dropped')))
    if (refusal !== undefined) drop(notHeld(refusal))
    else if (bytes > maxBytes) drop(new BodyTooLargeError(`the body has more than ${maxBytes} bytes`))
    else if (names.add(part)) {
      drop(new RefusalError(`read request: ${tooManyNodes(maxNodes)}`, { code: 'BERTH_EXTENDER_REQUEST' }))
    } else parts.push(part)
  }
  if (problem !== undefined) throw problem
  held?.complete()
  return Buffer.concat(parts, bytes)
}

const reasons: Readonly<Record<BodyRefusal, string>> = {
  connection: 'the requests in flight on this connection are too large',
  total: 'the requests in flight are too large',
  dropped: 'the request was received too slowly, and newer requests needed its memory',
}

function notHeld(refusal: BodyRefusal): RefusalError {
  return new RefusalError(`read request: ${reasons[refusal]}: set nodeCacheCapable to true in kube-scheduler`, {
    code: 'BERTH_EXTENDER_REQUEST',
    retryable: true,
  })
}
