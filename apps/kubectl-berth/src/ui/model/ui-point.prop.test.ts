import { array, assert, integer, nat, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergedPoint, noChanges, type UiPoint, withItem } from './ui-point.ts'

const points = array(nat({ max: 3 }), { minLength: 1, maxLength: 200 }).map((arrivals) =>
  arrivals.map((arrived, timeMs): UiPoint => ({
    timeMs,
    pendingCount: timeMs,
    counts: { ...noChanges, arrived },
    examples: Array.from({ length: arrived }, (_, i) => ['arrived', `default/${timeMs}-${i}`]),
    totals: [],
  })),
)

describe('withItem', () => {
  test('keeps a timeline bounded, with its first and its last point, its order and every change', () => {
    assert(
      property(points, integer({ min: 4, max: 40 }), (all, max) => {
        const kept = all.reduce<readonly UiPoint[]>((list, point) => {
          const next = withItem(list, point, max, mergedPoint)
          expect(next.length).toBeLessThanOrEqual(max)
          expect(next.at(-1)).toEqual(point)
          return next
        }, [])
        const times = kept.map(({ timeMs }) => timeMs)
        expect(times[0]).toBe(0)
        expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b))
        const sum = (list: readonly UiPoint[]): number => list.reduce((total, { counts }) => total + counts.arrived, 0)
        expect(sum(kept)).toBe(sum(all))
      }),
    )
  })
})
