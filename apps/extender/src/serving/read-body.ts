import type { Readable } from 'node:stream'
import { RefusalError } from '../errors.ts'
import { tooManyNodes } from '../extender-args.ts'
import type { BodyRefusal, HeldBody } from './body-memory.ts'
import type { BodyDiscarder } from './discard-body.ts'
import { createNameCounter } from './name-counter.ts'

/** Bounds of {@link readBody}. */
export interface BodyBounds {
  readonly maxBytes: number
  readonly maxNodes: number
  /** Counts the memory of the parts. Default: it is not bounded. */
  readonly held?: HeldBody
}

/** Memory of a received part besides its bytes. Without it, a body in parts of one byte would take many times its size. */
const PART_OVERHEAD_BYTES = 128

/** The body is larger than its limit, and was not announced. */
export class BodyTooLargeError extends Error {}

/**
 * Reads a body. As soon as it exceeds a bound, its memory is released, and the rest is dropped before the error is thrown.
 *
 * @param parse - Reads the bytes, which are valid during the call only: bodies share their memory.
 * @throws RefusalError BERTH_EXTENDER_REQUEST for too many names, or because bodies in flight need the memory;
 * BodyTooLargeError.
 */
export async function readBody<T>(
  payload: Readable,
  { maxBytes, maxNodes, held }: BodyBounds,
  discarder: BodyDiscarder,
  parse: (bytes: Buffer) => T,
): Promise<T> {
  const names = createNameCounter(maxNodes)
  const parts: Buffer[] = []
  let bytes = 0
  let countedParts = 0
  const hasTooManyNames = (): boolean => {
    if (bytes <= names.harmlessBytes) return false
    for (const part of parts.slice(countedParts)) if (names.add(part)) return true
    countedParts = parts.length
    return false
  }
  const addPart = (part: Buffer, refuse: (error: Error) => void): void => {
    bytes += part.length
    const refusal = held?.add(part.length + PART_OVERHEAD_BYTES, () => refuse(notHeld('dropped')))
    if (refusal !== undefined) refuse(notHeld(refusal))
    else if (bytes > maxBytes) refuse(new BodyTooLargeError(`the body has more than ${maxBytes} bytes`))
    else {
      parts.push(part)
      if (!hasTooManyNames()) return
      refuse(new RefusalError(`read request: ${tooManyNodes(maxNodes)}`, { code: 'BERTH_EXTENDER_REQUEST' }))
    }
  }
  try {
    await forEachPart(payload, addPart)
  } catch (error) {
    parts.length = 0
    held?.release()
    if (!payload.destroyed) await discarder.discard(payload)
    throw error
  }
  held?.complete()
  return parse(joined(parts, bytes))
}

/** Reads a stream with its events: an iterator allocates several promises for each part, and there are thousands of parts in a second. */
function forEachPart(payload: Readable, onPart: (part: Buffer, refuse: (error: Error) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (payload.destroyed) {
      reject(new Error('the request was closed before its body was read'))
      return
    }
    const refuse = (error: Error): void => {
      payload.off('data', onData)
      reject(error)
    }
    const onData = (part: Buffer): void => onPart(part, refuse)
    payload.on('data', onData)
    let hasEnded = false
    // Each event is emitted once. A listener that removes itself would be another object for each of them.
    payload.on('end', () => {
      hasEnded = true
      resolve()
    })
    payload.on('error', reject)
    payload.on('close', () => {
      // An error with its stack is expensive, and every request closes.
      if (!hasEnded) reject(payload.errored ?? new Error('the request was closed before the end of its body'))
    })
  })
}

/** Bodies up to this size are joined in one shared buffer. Larger ones are rare. */
const SHARED_BYTES = 1024 * 1024
let shared = Buffer.alloc(0)

/** Returns the parts as one buffer. It is valid until the next call. */
function joined(parts: readonly Buffer[], bytes: number): Buffer {
  const [first] = parts
  if (parts.length === 1 && first !== undefined) return first
  if (bytes > SHARED_BYTES) return Buffer.concat(parts, bytes)
  if (shared.length < bytes) shared = Buffer.allocUnsafeSlow(Math.min(SHARED_BYTES, bytes * 2))
  let at = 0
  for (const part of parts) at += part.copy(shared, at)
  return shared.subarray(0, bytes)
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
