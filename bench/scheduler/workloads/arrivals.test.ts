import { expect, test } from 'vitest'
import { arrivalsMs } from './arrivals.ts'

test('arrivalsMs returns rising times with the given mean rate', () => {
  const times = arrivalsMs(10_000, 100)
  expect(times.every((ms, i) => ms > (times[i - 1] ?? 0))).toBe(true)
  expect((times.at(-1) ?? 0) / 10_000).toBeCloseTo(10, 0)
})

test('arrivalsMs returns the same times for every scheduler', () => {
  expect(arrivalsMs(5, 100)).toEqual(arrivalsMs(5, 100))
})
