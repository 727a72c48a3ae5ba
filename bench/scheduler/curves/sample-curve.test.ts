import { expect, test } from 'vitest'
import { sampleCurve } from './sample-curve.ts'

test('sampleCurve counts every time and continues to the end', () => {
  expect(sampleCurve([30, 10, 20.04], 50, 100)).toEqual([
    [10, 1],
    [20, 2],
    [30, 3],
    [50, 3],
  ])
})

test('sampleCurve keeps the first and the last time of a long curve', () => {
  const points = sampleCurve(
    Array.from({ length: 1_000 }, (_, i) => i),
    2_000,
    10,
  )
  expect(points).toHaveLength(10)
  expect([points[0], points.at(-2), points.at(-1)]).toEqual([
    [0, 1],
    [999, 1_000],
    [2_000, 1_000],
  ])
})

test.for([
  { it: 'no times', times: [], expected: [[5, 0]] },
  {
    it: 'one time',
    times: [2],
    expected: [
      [2, 1],
      [5, 1],
    ],
  },
  {
    it: 'equal times',
    times: [2, 2, 2],
    expected: [
      [2, 3],
      [5, 3],
    ],
  },
  { it: 'a last time at the end', times: [5], expected: [[5, 1]] },
])('sampleCurve accepts $it', ({ times, expected }) => {
  expect(sampleCurve(times, 5, 10)).toEqual(expected)
})
