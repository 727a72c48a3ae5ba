import { expect, test } from 'vitest'
import { listNames } from './list-names.ts'

test.for([
  { names: [], text: '' },
  { names: ['a'], text: 'a' },
  { names: ['a', 'b'], text: 'a, b' },
  { names: ['a', 'b', 'c'], text: 'a, b and 1 more' },
  { names: ['a', 'b', 'c', 'd'], text: 'a, b and 2 more' },
])('lists $names up to two as "$text"', ({ names, text }) => {
  expect(listNames(names, 2)).toBe(text)
})
