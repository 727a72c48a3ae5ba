import { sleep } from '@berth/clock'
import type { Clock } from '@berth/types'
import { BrokenConnectionError } from './broken-connection-error.ts'

type Body = AsyncIterable<Uint8Array>

/**
 * So many bytes at a time, with a pause before each piece.
 *
 * @yields pieces of the body
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
 * The first so many bytes, then the connection breaks; a body that ends before does not notice.
 *
 * @yields what came before that
 */
export async function* cutBody(body: Body, afterBytes: number): AsyncGenerator<Uint8Array> {
  let left = afterBytes
  for await (const chunk of body) {
    if (chunk.byteLength > left) {
      if (left > 0) yield chunk.subarray(0, left)
      throw new BrokenConnectionError('the connection broke within the body')
    }
    left -= chunk.byteLength
    yield chunk
  }
}

/**
 * Frames of a watch, one by one, whatever pieces they came in.
 *
 * @yields one frame without its line end
 */
async function* framesOf(body: Body): AsyncGenerator<string> {
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
 * Every event of a watch twice; bookmarks and errors once.
 *
 * @yields one frame
 */
export async function* twiceBody(body: Body): AsyncGenerator<Uint8Array> {
  for await (const frame of framesOf(body)) {
    const line = bytesOf(frame)
    yield line
    if (isEvent(frame)) yield line
  }
}

/**
 * Events of a watch in another order: one that is about another object than the event before it comes first. What is
 * said about one object keeps its order, and nothing overtakes a bookmark or an error.
 *
 * @yields one frame
 */
export async function* reorderedBody(body: Body, swaps: () => boolean, onSwap: () => void): AsyncGenerator<Uint8Array> {
  let held: string | undefined
  for await (const frame of framesOf(body)) {
    if (held === undefined) {
      if (isEvent(frame) && swaps()) held = frame
      else yield bytesOf(frame)
      continue
    }
    if (isEvent(frame) && subjectOf(frame) !== subjectOf(held)) {
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

function isEvent(frame: string): boolean {
  return /^\{"type":"(?:ADDED|MODIFIED|DELETED)"/u.test(frame)
}

function subjectOf(frame: string): string {
  const { object } = JSON.parse(frame) as { readonly object?: { readonly metadata?: { readonly uid?: string } } }
  return object?.metadata?.uid ?? ''
}
