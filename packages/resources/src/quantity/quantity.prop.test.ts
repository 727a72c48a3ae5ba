import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { QuantityError } from '../errors.ts'
import { parseQuantity } from './parse-quantity.ts'
import { decodeQuantity } from './quantity-json.ts'
import type { Quantity } from './quantity.ts'
import { isExtendedResourceName, isScalarResourceName } from '../names/resource-names.ts'

// Exact arithmetic in nanos: parsing rounds every quantity to a multiple of 10^-9.
const FACTOR: ReadonlyMap<string, bigint> = new Map([
  ['n', 1n],
  ['u', 10n ** 3n],
  ['m', 10n ** 6n],
  ['', 10n ** 9n],
  ['k', 10n ** 12n],
  ['M', 10n ** 15n],
  ['G', 10n ** 18n],
  ['T', 10n ** 21n],
  ['Ki', 2n ** 10n * 10n ** 9n],
  ['Mi', 2n ** 20n * 10n ** 9n],
  ['Gi', 2n ** 30n * 10n ** 9n],
])

interface Written {
  readonly text: string
  readonly nano: bigint
}

/** Integers of at most nine digits, small enough that no operation rounds, caps or wraps. */
const written: fc.Arbitrary<Written> = fc
  .tuple(fc.boolean(), fc.integer({ min: 0, max: 999_999_999 }), fc.constantFrom(...FACTOR.keys()))
  .map(([isNegative, digits, suffix]) => {
    const nano = BigInt(digits) * (FACTOR.get(suffix) ?? 0n)
    return { text: `${isNegative ? '-' : ''}${digits}${suffix}`, nano: isNegative ? -nano : nano }
  })

const nanoOf = (quantity: Quantity): bigint =>
  quantity.exponent >= -9 ? quantity.unscaled * 10n ** BigInt(quantity.exponent + 9) : -1n

const anyQuantityText = fc.stringMatching(
  /^[+-]?[0-9]{0,25}(\.[0-9]{0,15})?([eE][+-]?[0-9]{1,3}|[numkMGTPE]|[KMGTPE]i)?$/,
)

function parsedOrUndefined(parse: () => Quantity): Quantity | undefined {
  try {
    return parse()
  } catch (error) {
    if (error instanceof QuantityError) return undefined
    throw error
  }
}

describe('quantity arithmetic', () => {
  test('equals exact arithmetic', () => {
    fc.assert(
      fc.property(written, written, fc.integer({ min: -1000, max: 1000 }), (a, b, n) => {
        const [x, y] = [parseQuantity(a.text), parseQuantity(b.text)]
        expect(nanoOf(x)).toBe(a.nano)
        expect(nanoOf(x.add(y))).toBe(a.nano + b.nano)
        expect(nanoOf(x.sub(y))).toBe(a.nano - b.nano)
        expect(nanoOf(x.neg())).toBe(-a.nano)
        expect(nanoOf(x.mul(BigInt(n)))).toBe(a.nano * BigInt(n))
        expect(x.cmp(y)).toBe(a.nano === b.nano ? 0 : a.nano < b.nano ? -1 : 1)
        expect(x.equals(y)).toBe(a.nano === b.nano)
      }),
    )
  })

  test('rounds value and milliValue up from exact numbers that fit', () => {
    const up = (nano: bigint, unit: bigint): bigint => (nano + unit - 1n) / unit
    fc.assert(
      fc.property(written, ({ text, nano }) => {
        fc.pre(nano >= 0n && nano < 2n ** 62n * 10n ** 6n)
        const quantity = parseQuantity(text)
        expect(quantity.value()).toBe(up(nano, 10n ** 9n))
        expect(quantity.milliValue()).toBe(up(nano, 10n ** 6n))
      }),
    )
  })

  test('rounds up to the smallest multiple that is at least as large', () => {
    fc.assert(
      fc.property(written, fc.integer({ min: -9, max: 12 }), ({ text, nano }, scale) => {
        const unit = 10n ** BigInt(scale + 9)
        const size = nano < 0n ? -nano : nano
        const expected = ((size + unit - 1n) / unit) * unit
        expect(nanoOf(parseQuantity(text).roundUp(scale))).toBe(nano < 0n ? -expected : expected)
      }),
    )
  })
})

describe('quantity text', () => {
  test('in canonical form parses to the same amount and is its own canonical form', () => {
    fc.assert(
      fc.property(anyQuantityText, (text) => {
        const quantity = parsedOrUndefined(() => parseQuantity(text))
        // Upstream prints amounts beyond E without a suffix, so they do not parse back.
        fc.pre(
          quantity !== undefined && (quantity.format === 'DecimalExponent' || quantity.cmp(parseQuantity('999E')) < 0),
        )
        fc.pre(quantity.format === 'DecimalExponent' || quantity.cmp(parseQuantity('-999E')) > 0)
        const canonical = quantity.canonical()
        expect(parseQuantity(canonical).cmp(quantity)).toBe(0)
        expect(parseQuantity(canonical).canonical()).toBe(canonical)
        expect(decodeQuantity(JSON.stringify(quantity)).cmp(quantity)).toBe(0)
      }),
      { numRuns: 500 },
    )
  })
})

describe('hostile text', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.stringMatching(/^[-+.0-9eEinumkKMGTP ]{0,24}$/),
    fc
      .tuple(fc.constantFrom('1e', '1E-', '9.9e+', '.e'), fc.bigInt({ min: 0n, max: 10n ** 20n }))
      .map(([a, b]) => `${a}${b}`),
    fc.integer({ min: 0, max: 5000 }).map((n) => '7'.repeat(n)),
  )

  test('results in a quantity or a QuantityError, and every operation on it terminates', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const parse of [
          () => parseQuantity(text),
          () => decodeQuantity(text),
          () => decodeQuantity(JSON.stringify(text)),
        ]) {
          const quantity = parsedOrUndefined(parse)
          if (quantity === undefined) continue
          const sum = quantity.add(parseQuantity('1n')).sub(parseQuantity('1Ei'))
          expect(typeof sum.value()).toBe('bigint')
          expect(typeof sum.milliValue()).toBe('bigint')
          expect(sum.canonical().length).toBeLessThan(12_000)
          expect([-1, 0, 1]).toContain(quantity.cmp(sum))
        }
      }),
      { numRuns: 500 },
    )
  })

  test('is classified as a resource name without an error', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', 'constructor')), (name) => {
        expect(isScalarResourceName(name) || !isExtendedResourceName(name)).toBe(true)
      }),
    )
  })
})
