import { expect, test, vi } from 'vitest'
import { systemClock } from './system-clock.ts'

test('systemClock tells the time, measures durations and runs a task unless it is cancelled', async () => {
  const clock = systemClock()
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000)
  const before = clock.monotonic()
  let cancelled = 0
  clock.setTimer(0, () => cancelled++).cancel()
  await new Promise<void>((resolve) => void clock.setTimer(1, resolve))
  expect(clock.monotonic()).toBeGreaterThanOrEqual(before)
  expect(cancelled).toBe(0)
})

test.for([2 ** 31, 90 * 24 * 60 * 60_000])('a timer of %i ms fires when it is due, not before', (delayMs) => {
  vi.useFakeTimers()
  try {
    const task = vi.fn()
    systemClock().setTimer(delayMs, task)
    const cancelled = systemClock().setTimer(delayMs, () => expect.unreachable())
    vi.advanceTimersByTime(delayMs - 1)
    expect(task).not.toHaveBeenCalled()
    cancelled.cancel()
    vi.advanceTimersByTime(1)
    expect(task).toHaveBeenCalledOnce()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
