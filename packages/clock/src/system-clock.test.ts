import { expect, test } from 'vitest'
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
