import { expect, test } from 'vitest'
import { backoffMs } from './backoff.ts'

test.for([
  { attempt: 0, random: 0.5, delayMs: 300 },
  { attempt: 1, random: 0.5, delayMs: 600 },
  { attempt: 3, random: 0, delayMs: 1920 },
  { attempt: 50, random: 0.5, delayMs: 10_000 },
  { attempt: 5000, random: 0, delayMs: 8000 },
])('attempt $attempt waits about $delayMs ms', ({ attempt, random, delayMs }) => {
  expect(backoffMs(attempt, () => random)).toBeCloseTo(delayMs)
})
