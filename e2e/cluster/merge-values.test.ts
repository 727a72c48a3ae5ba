import { expect, test } from 'vitest'
import { mergeValues } from './merge-values.ts'

test('merges objects, joins lists and otherwise uses the last value', () => {
  expect(mergeValues({ a: { list: [1], x: 1 } }, { a: { list: [2], y: 2 } }, { a: { x: 3 }, b: false })).toEqual({
    a: { list: [1, 2], x: 3, y: 2 },
    b: false,
  })
})
