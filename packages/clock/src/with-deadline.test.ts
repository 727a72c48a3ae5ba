import { expect, test, vi } from 'vitest'
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

test('does not run an action whose signal was aborted before', async () => {
  const clock = createTestClock()
  const action = vi.fn(never)
  await expect(withDeadline({ clock, deadlineMs: 1000, signal: AbortSignal.abort() }, action)).rejects.toThrow(
    'it was stopped',
  )
  expect(action).not.toHaveBeenCalled()
})

test('rejects with the error of the caller at the deadline', async () => {
  const clock = createTestClock()
  const late = new Error('too late')
  const answer = withDeadline({ clock, deadlineMs: 1000, lateError: () => late }, never)
  clock.advance(1000)
  await expect(answer).rejects.toBe(late)
})

test('ends when the caller stops', async () => {
  const stop = new AbortController()
  const answer = withDeadline({ clock: createTestClock(), deadlineMs: 1000, signal: stop.signal }, never)
  stop.abort()
  await expect(answer).rejects.toThrow('it was stopped')
})
