import { describe, expect, test } from 'vitest'
import { parseQuantity } from './parse-quantity.ts'

const q = parseQuantity

describe('value and milliValue', () => {
  test.for([
    { it: 'rounds away from zero', text: '1500m', value: 2n, milli: 1500n },
    { it: 'rounds a negative amount away from zero', text: '-1500m', value: -2n, milli: -1500n },
    { it: 'rounds one nano up to 1', text: '1n', value: 1n, milli: 1n },
    { it: 'returns 0 when stepwise scaling overflows', text: '10E', value: 0n, milli: 0n },
    {
      it: 'wraps when a single multiplication overflows',
      text: '123456789012345678',
      value: 123456789012345678n,
      milli: -5670419503621183312n,
    },
    { it: 'wraps the decimal form', text: '9223372036854775808', value: -9223372036854775808n, milli: 0n },
    { it: 'rounds a negative amount in decimal form up', text: '-0.0000000001', value: 1n, milli: 1n },
    { it: 'caps binary amounts', text: '16Ei', value: 9223372036854775807n, milli: -1000n },
    {
      it: 'wraps 7Ei in milli to the smallest int64',
      text: '7Ei',
      value: 8070450532247928832n,
      milli: -9223372036854775808n,
    },
    {
      it: 'keeps the low bits of large decimal amounts',
      text: '10000000000000000k',
      value: -8446744073709551616n,
      milli: 1864712049423024128n,
    },
  ])('$it: $text', ({ text, value, milli }) => {
    expect([q(text).value(), q(text).milliValue()]).toEqual([value, milli])
  })

  test.for([
    { it: 'drops digits', text: '1234', scale: 2, scaled: 13n },
    { it: 'computes no power for a scale beyond every digit', text: '5', scale: 1_000_000_000, scaled: 1n },
    {
      it: 'computes no such power in decimal form either',
      text: '12345678901234567890123',
      scale: 1_000_000_000,
      scaled: 1n,
    },
    {
      it: 'floors the decimal form, then adds one for the remainder',
      text: '-12345678901234567890123',
      scale: 25,
      scaled: 0n,
    },
    {
      it: 'takes the factor of the decimal form from a wrapped float',
      text: '12345678901234567891',
      scale: -30,
      scaled: 0n,
    },
  ])('scaledValue $it', ({ text, scale, scaled }) => {
    expect(q(text).scaledValue(scale)).toBe(scaled)
  })
})

describe('asInt64', () => {
  test.for([
    { text: '5k', exact: 5000n },
    { text: '1500m', exact: undefined },
    { text: '2000m', exact: undefined },
    { text: '10E', exact: undefined },
    { text: '9223372036854775808', exact: undefined },
  ])('of $text is $exact', ({ text, exact }) => {
    expect(q(text).asInt64()).toBe(exact)
  })
})

describe('wholeNumber and asApproximateFloat', () => {
  test.for([
    { text: '5k', whole: 5000n, float: 5000 },
    { text: '2000m', whole: 2n, float: 2 },
    { text: '1500m', whole: undefined, float: 1.5 },
    { text: '-1500m', whole: undefined, float: -1.5 },
    { text: '9223372036854775808', whole: 9_223_372_036_854_775_808n, float: 2 ** 63 },
    { text: '1e400', whole: 10n ** 400n, float: Infinity },
  ])('of $text are $whole and $float', ({ text, whole, float }) => {
    expect(q(text).wholeNumber()).toBe(whole)
    expect(q(text).asApproximateFloat()).toBe(float)
  })
})

describe('arithmetic', () => {
  test.for([
    {
      it: 'takes the format of the addend when it is zero',
      sum: q('0').add(q('1Ki')),
      text: '1Ki',
      format: 'BinarySI',
    },
    {
      it: 'takes the format of the addend when it is a binary zero',
      sum: q('0Ki').add(q('5')),
      text: '5',
      format: 'DecimalSI',
    },
    { it: 'keeps its own format otherwise', sum: q('1').add(q('1Ki')), text: '1025', format: 'DecimalSI' },
    { it: 'keeps a binary format', sum: q('1Ki').add(q('1M')), text: '1001024', format: 'BinarySI' },
    { it: 'drops the original text', sum: q('01').add(q('0')), text: '1', format: 'DecimalSI' },
    {
      it: 'exceeds int64 in decimal form',
      sum: q('9223372036854775807').add(q('1')),
      text: '9223372036854775808',
      format: 'DecimalSI',
    },
    { it: 'aligns the coarser addend', sum: q('100m').add(q('1Gi')), text: '1073741824100m', format: 'DecimalSI' },
    { it: 'adds decimal forms exactly', sum: q('9E').add(q('9E')), text: '18E', format: 'DecimalSI' },
    { it: 'subtracts', sum: q('2Ki').sub(q('1')), text: '2047', format: 'BinarySI' },
    { it: 'subtracts from zero', sum: q('0').sub(q('1Ki')), text: '-1Ki', format: 'BinarySI' },
    { it: 'keeps the format when the difference is 0', sum: q('1Ki').sub(q('1Ki')), text: '0', format: 'BinarySI' },
    { it: 'negates', sum: q('1500m').neg(), text: '-1500m', format: 'DecimalSI' },
    {
      it: 'negates the decimal form',
      sum: q('12345678901234567890').neg(),
      text: '-12345678901234567890',
      format: 'DecimalSI',
    },
    { it: 'multiplies', sum: q('9E').mul(9n), text: '81E', format: 'DecimalSI' },
    { it: 'multiplies by 0', sum: q('5Ki').mul(0n), text: '0', format: 'BinarySI' },
    { it: 'multiplies fractions', sum: q('500m').mul(3n), text: '1500m', format: 'DecimalSI' },
    { it: 'multiplies fractions to whole numbers', sum: q('500m').mul(4n), text: '2', format: 'DecimalSI' },
    { it: 'keeps zero unchanged', sum: q('0m').mul(7n), text: '0', format: 'DecimalSI' },
    {
      it: 'exceeds int64 by multiplying',
      sum: q('9223372036854775807').mul(2n),
      text: '18446744073709551614',
      format: 'DecimalSI',
    },
  ])('$it', ({ sum, text, format }) => {
    expect([sum.toString(), sum.format]).toEqual([text, format])
  })

  test('hasInt64Digits returns whether the digits of a product fit an int64', () => {
    expect(q('9223372036854775807').mul(9223372036854775807n).hasInt64Digits()).toBe(false)
    expect(q('5').mul(1n).hasInt64Digits()).toBe(true)
  })
})

describe('roundUp', () => {
  test.for([
    { text: '100500u', scale: -3, rounded: '101m' },
    { text: '-1500m', scale: 0, rounded: '-2' },
    { text: '01', scale: -3, rounded: '01' },
    { text: '1.23456789012345678901', scale: -3, rounded: '1235m' },
    { text: '1025Ki', scale: 3, rounded: '1050000' },
  ])('of $text to scale $scale is $rounded', ({ text, scale, rounded }) => {
    expect(q(text).roundUp(scale).toString()).toBe(rounded)
  })
})

describe('comparison', () => {
  test.for([
    { a: '1', b: '1000m', cmp: 0 },
    { a: '1Ki', b: '1k', cmp: 1 },
    { a: '0', b: '-0', cmp: 0 },
    { a: '-1', b: '1n', cmp: -1 },
    { a: '1e2000', b: '1e1999', cmp: 1 },
    { a: '12345678901234567890', b: '12345678901234567891', cmp: -1 },
  ] as const)('cmp($a, $b) = $cmp', ({ a, b, cmp }) => {
    expect([q(a).cmp(q(b)), q(a).equals(q(b))]).toEqual([cmp, cmp === 0])
  })

  test('sign and isZero agree with the amount', () => {
    expect(['-1n', '0Ki', '1E'].map((text) => [q(text).sign(), q(text).isZero()])).toEqual([
      [-1, false],
      [0, true],
      [1, false],
    ])
  })
})

describe('text', () => {
  test.for([
    { text: '1023Ki', string: '1023Ki', canonical: '1023Ki' },
    { text: '8Ki', string: '8Ki', canonical: '8Ki' },
    { text: '1024Ki', string: '1Mi', canonical: '1Mi' },
    { text: '1.5Gi', string: '1536Mi', canonical: '1536Mi' },
    { text: '0.5Ki', string: '512', canonical: '512' },
    { text: '0.1Ki', string: '102400m', canonical: '102400m' },
    { text: '1.0001Ki', string: '1024102400u', canonical: '1024102400u' },
    { text: '12.345k', string: '12.345k', canonical: '12345' },
    { text: '10.00k', string: '10k', canonical: '10k' },
    { text: '1E3', string: '1E3', canonical: '1e3' },
    { text: '1e4', string: '10e3', canonical: '10e3' },
    { text: '1E-2', string: '10e-3', canonical: '10e-3' },
    { text: '1e0', string: '1e0', canonical: '1' },
    { text: '1000E', string: '1', canonical: '1' },
    { text: '0Ki', string: '0', canonical: '0' },
    { text: '.5', string: '500m', canonical: '500m' },
  ])('of $text is $string, canonically $canonical', ({ text, string, canonical }) => {
    expect([q(text).toString(), q(text).canonical(), JSON.stringify(q(text))]).toEqual([
      string,
      canonical,
      `"${string}"`,
    ])
  })

  test('is kept in decimal form', () => {
    expect([q('1E3').toDecimalForm().toString(), q('8Ki').toDecimalForm().toString()]).toEqual(['1E3', '8Ki'])
    const long = q('12345678901234567890')
    expect(long.toDecimalForm()).toBe(long)
  })

  test('does not factor the smallest int64 in int64 form, like upstream', () => {
    const smallest = q('-8Gi').mul(1073741824n)
    expect([smallest.form, smallest.canonical()]).toEqual(['int64', '-9223372036854775808'])
    expect(smallest.toDecimalForm().canonical()).toBe('-8Ei')
    expect(smallest.neg().canonical()).toBe('-9223372036854775808')
    expect(q('1').sub(smallest).canonical()).toBe('-9223372036854775807')
    expect(smallest.mul(2n).canonical()).toBe('-16Ei')
    expect(smallest.add(q('1k').mul(1n)).canonical()).toBe('-9223372036854774808')
    expect(smallest.value()).toBe(-9223372036854775808n)
    expect(smallest.milliValue()).toBe(0n)
  })
})
