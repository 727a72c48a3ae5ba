import { expect, test } from 'vitest'
import { RequestPool } from './request-pool.ts'

test('returns the first of several equal requests', () => {
  const pool = new RequestPool()
  const first = pool.intern([500, 2 ** 40, 0])
  expect(pool.intern([500, 2 ** 40, 0])).toBe(first)
})

test.for([
  { it: 'another amount', other: [500, 2 ** 40, 1] },
  { it: 'another length', other: [500, 2 ** 40] },
  { it: 'another order', other: [2 ** 40, 500, 0] },
  { it: 'an amount beyond a double', other: [500, 2n ** 60n, 0] },
  { it: 'the next amount beyond a double', other: [500, 2n ** 60n + 1n, 0] },
])('a list with $it stays itself', ({ other }) => {
  const pool = new RequestPool()
  for (const known of [
    [500, 2 ** 40, 0],
    [500, 2n ** 60n, 1],
  ])
    pool.intern(known)
  expect(pool.intern(other)).toBe(other)
})

test('returns equal amounts after thousands of other requests', () => {
  const pool = new RequestPool()
  for (let i = 0; i < 5000; i++) expect(pool.intern([i, i])).toEqual([i, i])
})
