import { expect, test } from 'vitest'
import { createBackoff } from './backoff.ts'
import { fakeClock } from './testing/fake-clock.ts'

const shape = { initialMs: 800, maxMs: 30_000, jitter: 1, resetAfterMs: 120_000 }

test('doubles up to the maximum and starts again after two minutes without a call', async () => {
  const clock = fakeClock()
  const backoff = createBackoff({ ...shape, clock, random: () => 0 })
  expect(Array.from({ length: 8 }, () => backoff.next())).toEqual([800, 1600, 3200, 6400, 12800, 25600, 30000, 30000])
  await clock.advance(120_001)
  expect(backoff.next()).toBe(800)
})

test('jitter adds up to one more base delay', () => {
  const backoff = createBackoff({ ...shape, clock: fakeClock(), random: () => 0.999 })
  expect(backoff.next()).toBeCloseTo(1_599, 0)
})
