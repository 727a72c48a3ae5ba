import { describe, expect, test } from 'vitest'
import { createSharedValues } from './shared-values.ts'

const labels = (app: string) => ({ app, tier: { name: 'web' } })

describe('shared values', () => {
  test('parts with equal JSON are one value, others are not', () => {
    const shared = createSharedValues()
    const first = shared.part(labels('a'))
    expect(shared.part(labels('a'))).toBe(first)
    expect(shared.part(labels('b'))).not.toBe(first)
    expect(shared.part(labels('b'))).toEqual(labels('b'))
  })

  test('a change of a shared part throws, because it would change other pods', () => {
    const part = createSharedValues().part(labels('a'))
    expect(() => (part.app = 'b')).toThrow(TypeError)
    expect(() => (part.tier.name = 'b')).toThrow(TypeError)
  })

  test('a part of more than 4 KiB is not kept', () => {
    const shared = createSharedValues()
    const large = { text: 'x'.repeat(5_000) }
    expect(shared.part(large)).toBe(large)
    expect(shared.part({ ...large })).not.toBe(large)
  })

  test('a value that is used often stays, and one that is not used is forgotten', () => {
    const shared = createSharedValues()
    const often = shared.part(labels('often'))
    const once = shared.part(labels('once'))
    for (let round = 0; round < 20; round++) {
      for (let i = 0; i < 1_000; i++) shared.part(labels(`unique-${round}-${i}`))
      expect(shared.part(labels('often'))).toBe(often)
    }
    expect(shared.part(labels('once'))).not.toBe(once)
    expect(shared.part(labels('once'))).toEqual(once)
  })
})

describe('a compact copy', () => {
  test('has the same fields in the same order, and the same values', () => {
    const value = JSON.parse('{"name":"a","7":1,"__proto__":{"foreign":true},"none":null}') as object
    const copies = createSharedValues()
    for (const copy of [copies.compact(value), copies.compact(value)]) {
      expect(copy).not.toBe(value)
      expect(copy).toStrictEqual(value)
      expect(Object.keys(copy)).toEqual(Object.keys(value))
      expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    }
  })

  test('does not share fields with another copy', () => {
    const shared = createSharedValues()
    const [first, second] = [shared.compact({ name: 'a' }), shared.compact({ name: 'b' })]
    first.name = 'c'
    expect(second).toEqual({ name: 'b' })
    expect(shared.compact({ name: 'd' })).toEqual({ name: 'd' })
  })
})
