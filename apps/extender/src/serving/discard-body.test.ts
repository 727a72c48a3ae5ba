import { fakeClock } from '@berth/clock/testing'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { createBodyDiscarder } from './discard-body.ts'

const PART_BYTES = 64 * 1024

/** Creates a body that counts the parts that were taken from it. */
function createBody(parts: number): { readonly payload: Readable; readonly taken: () => number } {
  let taken = 0
  const payload = new Readable({
    highWaterMark: PART_BYTES,
    read() {
      taken += 1
      // As from a socket: a part arrives later.
      setImmediate(() => this.push(taken > parts ? null : Buffer.alloc(PART_BYTES)))
    },
  })
  return { payload, taken: () => taken }
}

test('one part of all refused bodies is read every 2 ms, until each has ended', async () => {
  const clock = fakeClock()
  const discarder = createBodyDiscarder(clock)
  const bodies = Array.from({ length: 5 }, () => createBody(20))
  const discarded = Promise.all(bodies.map(({ payload }) => discarder.discard(payload)))
  const taken = (): number => bodies.reduce((sum, body) => sum + body.taken(), 0)
  await clock.advance(0)
  const atStart = taken()
  await clock.advance(20)
  expect(taken() - atStart).toBeLessThanOrEqual(10)
  await clock.advance(1_000)
  await discarded
  expect(bodies.every(({ payload }) => payload.readableEnded)).toBe(true)
})

test('a body that its caller gives up does not hold up the others', async () => {
  const clock = fakeClock()
  const discarder = createBodyDiscarder(clock)
  const [first, second] = [createBody(5), createBody(5)]
  const discarded = Promise.all([first, second].map(({ payload }) => discarder.discard(payload)))
  first.payload.on('error', () => undefined).destroy(new Error('reset by the caller'))
  await clock.advance(1_000)
  await discarded
  expect(second.payload.readableEnded).toBe(true)
})
