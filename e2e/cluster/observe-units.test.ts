import { describe, expect, test } from 'vitest'
import { trackUnits, unitsOf } from './observe-units.ts'

describe('trackUnits', () => {
  const after = (...looks: readonly (readonly [nowMs: number, units: string])[]) => {
    const { add, read } = trackUnits()
    for (const [nowMs, units] of looks) add(units, nowMs)
    return read()
  }

  test('returns each value once, and the longest of the times without an allocatable unit', () => {
    const looks = [
      [0, '4/4'],
      [100, '4/0'],
      [300, '4/0'],
      [400, '4/4'],
      [500, '4/0'],
      [600, '4/4'],
    ] as const
    expect(after(...looks)).toEqual({ seen: ['4/4', '4/0'], longestZeroMs: 200 })
  })

  test('counts a resource that the node lacks as zero, and other units that end in 0 as units', () => {
    expect(after([0, '4/-'], [250, '4/0'], [300, '20/10'], [900, '20/10']).longestZeroMs).toBe(250)
  })
})

test('unitsOf writes a dash for a value that the node lacks', () => {
  const node = { metadata: {}, status: { capacity: { 'a.b/c': '4' } } }
  expect([unitsOf(node, 'a.b/c'), unitsOf(undefined, 'a.b/c')]).toEqual(['4/-', '-/-'])
})
