import { expect, test } from 'vitest'
import { seededRandom } from './seeded-random.ts'

const draws = (seed: number): readonly number[] => {
  const random = seededRandom(seed)
  return Array.from({ length: 100 }, () => random())
}

test('repeats its sequence for the same seed and differs for another', () => {
  expect(draws(7)).toEqual(draws(7))
  expect(draws(7)).not.toEqual(draws(8))
})

test('returns numbers from 0 to 1, without 1', () => {
  for (const seed of [0, 1, -3, 2 ** 32 - 1]) for (const n of draws(seed)) expect(n >= 0 && n < 1).toBe(true)
})
