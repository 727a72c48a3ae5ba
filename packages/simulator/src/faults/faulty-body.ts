import { sleep } from '@berth/clock'
import type { Clock } from '@berth/types'
import { BrokenConnectionError } from './broken-connection-error.ts'

type Body = AsyncIterable<Uint8Array>

/**
 * Delays a body: yields `bytes` at a time, with a pause before each piece.
 *
 * @yields A piece of the body.
 */
export async function* slowBody(body: Body, bytes: number, everyMs: number, clock: Clock): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    for (let at = 0; at < chunk.byteLength; at += bytes) {
      await sleep(clock, everyMs)
      yield chunk.subarray(at, at + bytes)
    }
  }
}

/**
 * Breaks the connection after `afterBytes`. A shorter body is complete.
 *
 * @yields A piece of the body.
 */
export async function* cutBody(body: Body, afterBytes: number): AsyncGenerator<Uint8Array> {
  let remaining = afterBytes
  for await (const chunk of body) {
    if (chunk.byteLength > remaining) {
      if (remaining > 0) yield chunk.subarray(0, remaining)
      throw new BrokenConnectionError('the connection broke within the body')
    }
    remaining -= chunk.byteLength
    yield chunk
  }
}

/**
 * Splits the body of a watch into lines.
 *
 * @yields The JSON of one event.
 */
async function* eventLines(body: Body): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines.filter((line) => line !== '')
  }
  if (rest !== '') yield rest
}

/**
 * Repeats every event of a watch, except bookmarks and errors.
 *
 * @yields One line.
 */
export async function* repeatedEvents(body: Body): AsyncGenerator<Uint8Array> {
  for await (const frame of eventLines(body)) {
    const line = bytesOf(frame)
    yield line
    if (isObjectEvent(frame)) yield line
  }
}

/**
 * Swaps neighbouring events of a watch if they are about different objects. Events of one object stay in order, and
 * bookmarks and errors keep their place.
 *
 * @yields One line.
 */
export async function* reorderedEvents(
  body: Body,
  swaps: () => boolean,
  onSwap: () => void,
): AsyncGenerator<Uint8Array> {
  let held: string | undefined
  for await (const frame of eventLines(body)) {
    if (held === undefined) {
      if (isObjectEvent(frame) && swaps()) held = frame
      else yield bytesOf(frame)
      continue
    }
    if (isObjectEvent(frame) && uidOf(frame) !== uidOf(held)) {
      onSwap()
      yield bytesOf(frame)
      yield bytesOf(held)
    } else {
      yield bytesOf(held)
      yield bytesOf(frame)
    }
    held = undefined
  }
  if (held !== undefined) yield bytesOf(held)
}

function bytesOf(frame: string): Uint8Array {
  return Buffer.from(`${frame}\n`)
}

function isObjectEvent(frame: string): boolean {
  return /^\{"type":"(?:ADDED|MODIFIED|DELETED)"/u.test(frame)
}

function uidOf(frame: string): string {
  const { object } = JSON.parse(frame) as { readonly object?: { readonly metadata?: { readonly uid?: string } } }
  return object?.metadata?.uid ?? ''
}
