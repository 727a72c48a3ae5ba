import { expect, test } from 'vitest'
import { compareOutcomes } from './compare-outcomes.ts'

const first = { placed: ['a'], pending: ['b'] }

test('finds no difference in equal outcomes, in whatever order the pods are', () => {
  expect(compareOutcomes([{ placed: ['a', 'b'], pending: [] }], [{ placed: ['b', 'a'], pending: [] }])).toBeUndefined()
})

test('names the first step that differs, and the place of each pod in both outcomes', () => {
  const later = { placed: ['a', 'b', 'c'], pending: [] }
  expect(compareOutcomes([first, later, first], [first, { placed: ['a'], pending: ['b'] }, later])).toEqual({
    step: 1,
    pods: ['b: placed / pending', 'c: placed / deleted'],
  })
})

test('reports an outcome that ends early', () => {
  expect(compareOutcomes([first, first], [first])).toEqual({
    step: 1,
    pods: ['a: placed / deleted', 'b: pending / deleted'],
  })
})
