import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { wholeBlocks } from './whole-blocks.ts'

const units = fc.integer({ min: 1, max: 10_000 })
const sizes = fc.uniqueArray(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 8 })

test('a score is an integer in 0..100', () => {
  fc.assert(
    fc.property(
      fc.maxSafeInteger(),
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      sizes,
      (free, asked, all) => {
        const score = wholeBlocks(free, asked, all)
        expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true)
      },
    ),
  )
})

test('a score is 100 exactly when no size loses more blocks than necessary', () => {
  fc.assert(
    fc.property(units, units, sizes, (rest, asked, all) => {
      const free = rest + asked
      const isHarmless = all.every((size) => {
        // Counted block by block, as a person would.
        let [before, after, must] = [0, 0, 0]
        for (let n = size; n <= free; n += size) before += 1
        for (let n = size; n <= rest; n += size) after += 1
        for (let n = size; n <= asked; n += size) must += 1
        return before - after === must
      })
      expect(wholeBlocks(free, asked, all) === 100).toBe(isHarmless)
    }),
  )
})

test('using up a node, or leaving whole blocks of every size, never scores lower than any other place', () => {
  fc.assert(
    fc.property(units, units, units, sizes, (asked, other, factor, all) => {
      const multiple = all.reduce((product, size) => product * size, 1)
      fc.pre(multiple * factor < Number.MAX_SAFE_INTEGER / 2)
      const elsewhere = wholeBlocks(asked + other, asked, all)
      expect(wholeBlocks(asked, asked, all)).toBeGreaterThanOrEqual(elsewhere)
      expect(wholeBlocks(asked + multiple * factor, asked, all)).toBeGreaterThanOrEqual(elsewhere)
    }),
  )
})

test('a node without a block of the size scores 100 for it', () => {
  fc.assert(
    fc.property(units, units, (asked, rest) => {
      const size = asked + rest + 1
      expect([wholeBlocks(asked + rest, asked, [size]), wholeBlocks(size, asked, [size])]).toEqual([100, 0])
    }),
  )
})
