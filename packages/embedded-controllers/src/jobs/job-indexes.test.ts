import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatIndexes, missingIndexes, parseIndexes } from './job-indexes.ts'

test.for([
  [[], ''],
  [[0], '0'],
  [[1, 0], '0,1'],
  [[0, 1, 2, 4, 6, 7], '0-2,4,6,7'],
  [[9, 3, 4, 5], '3-5,9'],
] as const)('%j is written %s', ([indexes, text]) => {
  expect(formatIndexes(indexes)).toBe(text)
})

test.for([
  ['0-2,4', 10, [0, 1, 2, 4]],
  ['0-99999999', 3, [0, 1, 2]],
  ['x,-1,2', 10, [2]],
  ['', 10, []],
] as const)('%s below %d is %j', ([text, limit, indexes]) => {
  expect([...parseIndexes(text, limit)]).toEqual(indexes)
})

test('parses what it formats', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(200)), (indexes) => {
      expect([...parseIndexes(formatIndexes(indexes), 201)]).toEqual(indexes.toSorted((a, b) => a - b))
    }),
  )
})

test('returns the lowest free indexes', () => {
  expect(missingIndexes(new Set([0, 2]), 5, 2)).toEqual([1, 3])
  expect(missingIndexes(new Set([0, 1]), 2, 2)).toEqual([])
})
