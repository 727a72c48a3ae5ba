import { describe, expect, test } from 'vitest'
import { parseAmount } from './parse-amount.ts'

describe('parseAmount', () => {
  test.for([
    { text: '4', amount: 4n },
    { text: ' 4\n', amount: 4n },
    { text: '+4', amount: 4n },
    { text: '4.0', amount: 4n },
    { text: '-3', amount: -3n },
    { text: '0', amount: 0n },
    { text: '32Gi', amount: 34_359_738_368n },
    { text: '1.5Ki', amount: 1536n },
    { text: '1.5k', amount: 1500n },
    { text: '1500m', amount: 1.5 },
    { text: '.25', amount: 0.25 },
    { text: '2e3', amount: 2000n },
    { text: '1.234567e+06', amount: 1_234_567n },
    { text: '9223372036854775807', amount: 9_223_372_036_854_775_807n },
  ])('reads $text', ({ text, amount }) => {
    expect(parseAmount(text, 'it')).toBe(amount)
  })

  test.for(['', 'many', 'k', '-', '.', '1 2', '2_000', '0x10', 'NaN', 'Infinity', '1e9999', '1'.repeat(65)])(
    'refuses %j',
    (text) => {
      expect(() => parseAmount(text, 'label a')).toThrow(/^label a is ".*", not a number$/)
    },
  )

  test('shows only the start of a long text', () => {
    expect(() => parseAmount('x'.repeat(1e6), 'it')).toThrow(`it is "${'x'.repeat(60)}…", not a number`)
  })
})
