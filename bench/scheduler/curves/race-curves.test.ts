import { expect, test } from 'vitest'
import { raceCurves } from './race-curves.ts'

test('raceCurves counts pods from the start of the measured time until the last event', () => {
  const times = {
    created: new Map([
      ['pod-0', 50],
      ['pod-1', 60],
    ]),
    bound: new Map([
      ['pod-0', 100],
      ['pod-1', 110],
    ]),
    event: new Map([
      ['pod-0', 105],
      ['pod-1', 130],
    ]),
  }
  expect(raceCurves({ startMs: 100, times })).toEqual({
    created: [
      [0, 2],
      [30, 2],
    ],
    bound: [
      [0, 1],
      [10, 2],
      [30, 2],
    ],
    event: [
      [5, 1],
      [30, 2],
    ],
  })
})
