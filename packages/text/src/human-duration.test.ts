import { expect, test } from 'vitest'
import { ageOf, humanDuration } from './human-duration.ts'

const S = 1000
const M = 60 * S
const H = 60 * M
const D = 24 * H

test.for([
  [-5 * S, '<invalid>'],
  [-S / 2, '0s'],
  [0, '0s'],
  [119 * S, '119s'],
  [2 * M, '2m'],
  [3 * M + 12 * S, '3m12s'],
  [10 * M, '10m'],
  [179 * M, '179m'],
  [3 * H, '3h'],
  [5 * H + 2 * M, '5h2m'],
  [9 * H, '9h'],
  [47 * H, '47h'],
  [3 * D + 4 * H, '3d4h'],
  [8 * D, '8d'],
  [729 * D, '729d'],
  [740 * D, '2y10d'],
  [3650 * D, '10y'],
] as const)('formats %d ms as %s', ([ms, text]) => {
  expect(humanDuration(ms)).toBe(text)
})

test('formats an age without a start time as unknown', () => {
  expect(ageOf(undefined, 0)).toBe('<unknown>')
  expect(ageOf('2026-01-01T00:00:00Z', Date.UTC(2026, 0, 1, 0, 0, 9))).toBe('9s')
})
