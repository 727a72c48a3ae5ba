import { describe, expect, test } from 'vitest'
import { QuantityError } from '../errors.ts'
import { parseQuantity } from './parse-quantity.ts'

const FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const NUMERIC = 'unable to parse numeric part of quantity'
const SUFFIX = "unable to parse quantity's suffix"

function errorOf(text: string): QuantityError {
  try {
    parseQuantity(text)
  } catch (error) {
    if (error instanceof QuantityError) return error
    throw error
  }
  throw new Error(`${text} was accepted`)
}

describe('parseQuantity', () => {
  test.for([
    ...['', ' ', ' 1', '1 ', '1 Gi', '5.5.5', '1..', '1e5m', 'a', '0x10', '1_000', '١', '1\n', '1e5.', '1\u200b'].map(
      (text) => ({ text, code: 'BERTH_QUANTITY_FORMAT', reason: FORMAT }),
    ),
    ...['--1', '+-', '1-5', '1m5', '1K', '1e', '1e+', '1iK', '1EE5', '1e9223372036854775808'].map((text) => ({
      text,
      code: 'BERTH_QUANTITY_SUFFIX',
      reason: SUFFIX,
    })),
    ...['Pi', '+Pi', '-Ei', '.Pi'].map((text) => ({ text, code: 'BERTH_QUANTITY_NUMERIC', reason: NUMERIC })),
  ])('refuses "$text" with $code', ({ text, code, reason }) => {
    expect(errorOf(text)).toMatchObject({ code, reason, message: `parse quantity ${JSON.stringify(text)}: ${reason}` })
  })

  test.for(['+', '-', '.', 'm', 'k', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', '-0', '00', '0.0', '000Mi'])(
    'reads "%s" as 0, as upstream does',
    (text) => {
      expect(parseQuantity(text).isZero()).toBe(true)
    },
  )

  test.for([
    { it: 'a huge exponent', text: '1e429496729' },
    { it: 'a huge negative exponent', text: '1e-429496729' },
    { it: 'an exponent just over the limit', text: '1e4097' },
    { it: 'more characters than the limit', text: '1'.repeat(1025) },
  ])('refuses $it at once', ({ text }) => {
    const error = errorOf(text)
    expect(error.code).toBe('BERTH_QUANTITY_TOO_LARGE')
    expect(error.message.length).toBeLessThan(200)
    expect(error.hint).toBeTruthy()
  })

  test.for([
    { text: '1e4096', canonical: '10e4095' },
    { text: '1e-4096', canonical: '1e-9' },
    { text: '1e4294967296', canonical: '1' },
    { text: '9'.repeat(1024), canonical: '9'.repeat(1024) },
    { text: '1.1n', canonical: '2n' },
    { text: '12345678901234567890.', canonical: '12345678901234567890' },
  ])('reads an amount at the bounds', ({ text, canonical }) => {
    expect(parseQuantity(text).canonical()).toBe(canonical)
  })

  test.for([
    { number: 4, canonical: '4' },
    { number: 0.1, canonical: '100m' },
    { number: 1e21, canonical: '1e21' },
    { number: -0.5, canonical: '-500m' },
  ])('reads the number $number', ({ number, canonical }) => {
    expect(parseQuantity(number).canonical()).toBe(canonical)
  })

  test('refuses NaN and infinite numbers', () => {
    expect(() => parseQuantity(Number.NaN)).toThrow(QuantityError)
    expect(() => parseQuantity(Number.POSITIVE_INFINITY)).toThrow(QuantityError)
  })

  test('returns equal results for texts in the cache and for evicted ones', () => {
    const before = parseQuantity('123m')
    for (let i = 0; i < 10_000; i += 1) parseQuantity(`${i}Mi`)
    expect(parseQuantity('123m')).toEqual(before)
    expect(parseQuantity('123m')).toBe(parseQuantity('123m'))
  })
})
