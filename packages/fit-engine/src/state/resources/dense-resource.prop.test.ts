import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { DenseResource } from './dense-resource.ts'

const ROWS = 12
const BEYOND = 9_007_199_254_740_993n
const amount = fc.oneof(fc.nat(6), fc.constant(BEYOND))

test('leastFree is a lower bound of the free amounts, and the exact minimum when it is computed anew', () => {
  const step = fc.record({
    row: fc.nat(ROWS - 1),
    allocatable: amount,
    requested: amount,
    isOtherRows: fc.boolean(),
    enough: fc.nat(6),
  })
  let compared = 0
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const resource = new DenseResource(ROWS)
      let rows = Int32Array.from({ length: ROWS / 2 }, (_, i) => i * 2)
      for (const { row, allocatable, requested, isOtherRows, enough } of steps) {
        resource.set(row, allocatable, requested)
        if (isOtherRows) rows = Int32Array.from({ length: ROWS / 2 }, (_, i) => i * 2 + (rows[0] === 0 ? 1 : 0))
        const free = [...rows].map((each) => resource.free[each] ?? 0)
        const least = free.some((value) => Number.isNaN(value)) ? -Infinity : Math.min(...free)
        expect(resource.leastFree(rows, enough)).toBeLessThanOrEqual(least)
        expect(resource.copy().leastFree(rows, enough)).toBe(least)
        compared += 1
      }
    }),
    { numRuns: 500 },
  )
  expect(compared).toBeGreaterThan(1000)
})

test('leastFree falls at once, and rises only when it is asked for more', () => {
  const resource = new DenseResource(3)
  const rows = Int32Array.of(0, 1, 2)
  for (const row of rows) resource.set(row, 8, 2)
  expect(resource.leastFree(rows, 0)).toBe(6)
  resource.set(1, 8, 7)
  expect(resource.leastFree(rows, 0)).toBe(1)
  resource.set(1, 8, 3)
  expect([resource.leastFree(rows, 1), resource.leastFree(rows, 2), resource.leastFree(rows, 1)]).toEqual([1, 5, 5])
  resource.set(2, BEYOND, 0)
  expect(resource.leastFree(rows, 1)).toBe(-Infinity)
  resource.set(2, 9, 0)
  expect(resource.leastFree(rows, 1)).toBe(5)
})
