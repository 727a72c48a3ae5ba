import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isEqualJson } from './is-equal-json.ts'

const json = fc
  .jsonValue({ maxDepth: 3, noUnicodeString: false })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown)
const maybe = fc.option(json, { nil: undefined })

test('agrees with deep equality on parsed JSON', () => {
  fc.assert(
    fc.property(maybe, maybe, (a, b) => {
      expect(isEqualJson(a, b)).toBe(isDeepStrictEqual(a, b))
      expect(isEqualJson(a, structuredClone(a))).toBe(true)
    }),
    {
      examples: [
        [[], {}],
        [{ length: 0 }, []],
        [{ a: 1 }, { b: 1 }],
        [{ a: null }, {}],
        [[1, 2], [1]],
      ],
    },
  )
})
