import { describe, expect, test } from 'vitest'
import { highestOf, nthIndexOf, indexesOf } from './highest.ts'

describe('the highest value', () => {
  test.for([
    { values: [], top: -1, places: [] },
    { values: [0], top: 0, places: [0] },
    { values: [3, 7, 7, 1, 7], top: 7, places: [1, 2, 4] },
    { values: [5, 5, 5], top: 5, places: [0, 1, 2] },
    { values: [9, 2, 9.5], top: 9.5, places: [2] },
  ])('of $values is $top', ({ values, top, places }) => {
    const array = Float64Array.from(values)
    const highest = highestOf(array, 10)
    expect(highest).toEqual({ top, ties: places.length })
    expect([...indexesOf(array, highest)]).toEqual(places)
    expect(places.map((_, n) => nthIndexOf(array, highest, n))).toEqual(places)
    expect(nthIndexOf(array, highest, places.length)).toBe(-1)
  })

  test('returns at most as many indexes as there are values', () => {
    expect([...indexesOf(Float64Array.of(1, 2, 2), { top: 2, ties: 5 })]).toEqual([1, 2])
  })

  test.for([-1, 10.5, Number.NaN])('stops at %s, which is out of range', (outOfRange) => {
    expect(highestOf(Float64Array.of(0, 10, outOfRange, 3), 10)).toMatchObject({ outOfRangeIndex: 2 })
  })
})
