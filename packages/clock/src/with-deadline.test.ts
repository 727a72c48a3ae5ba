import { expect, test } from 'vitest'
import { createTestClock } from './testing/test-clock.ts'
import { withDeadline } from './with-deadline.ts'

const never = (): Promise<never> => new Promise(() => {})

test('returns the result of the hook, and leaves no timer behind', async () => {
  const clock = createTestClock()
  let signal: AbortSignal | undefined
  const answer = await withDeadline({ clock, deadlineMs: 1000 }, (own) => ((signal = own), 7))
  clock.advance(1000)
  expect([answer, signal?.aborted]).toEqual([7, false])
})

test('aborts the signal of a hook that takes too long', async () => {
  const clock = createTestClock()
  let signal: AbortSignal | undefined
  const answer = withDeadline({ clock, deadlineMs: 1000 }, (own) => ((signal = own), never()))
  clock.advance(1000)
  await expect(answer).rejects.toThrow('no answer within 1 s')
  expect(signal?.aborted).toBe(true)
})

test('ends when the caller stops', async () => {
  const stop = new AbortController()
  const answer = withDeadline({ clock: createTestClock(), deadlineMs: 1000, signal: stop.signal }, never)
  stop.abort()
  await expect(answer).rejects.toThrow('it was stopped')
})
