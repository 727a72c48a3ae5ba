import { expect, test } from 'vitest'
import { amountsOf, thousandths } from './amounts.ts'

test.for<[string | number, bigint]>([
  ['1', 1_000n],
  [3, 3_000n],
  ['250m', 250n],
  ['0.5', 500n],
  ['1e3', 1_000_000n],
  ['1E-3', 1n],
  ['1Ki', 1_024_000n],
  ['1.5Gi', 1_610_612_736_000n],
  ['2k', 2_000_000n],
  ['1n', 1n],
  ['-2', -2_000n],
  ['.5', 500n],
])('%s is %d thousandths', ([quantity, amount]) => {
  expect(thousandths(quantity)).toBe(amount)
})

test.for(['', 'x', '1Kii', 'e3', '1 2'])('"%s" is not a quantity', (text) => {
  expect(() => thousandths(text)).toThrow(RangeError)
})

test('leaves out what cannot be read', () => {
  expect(amountsOf({ cpu: '1', memory: 'much' })).toEqual(new Map([['cpu', 1_000n]]))
})
