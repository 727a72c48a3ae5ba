import { expect, test } from 'vitest'
import { formatDurationMs, parseDurationMs } from './duration.ts'

test.for([
  { text: '30s', ms: 30_000 },
  { text: '1m30s', ms: 90_000 },
  { text: '1.5s', ms: 1_500 },
  { text: '500ms', ms: 500 },
  { text: '2h', ms: 7_200_000 },
  { text: '0', ms: 0 },
  { text: '30', ms: undefined },
  { text: '', ms: undefined },
  { text: '5 s', ms: undefined },
  { text: '-5s', ms: undefined },
])('"$text" is $ms ms', ({ text, ms }) => {
  expect(parseDurationMs(text)).toBe(ms)
})

test.for([
  [0, '0s'],
  [500, '500ms'],
  [1_500, '1.5s'],
  [90_000, '1m30s'],
  [900_000, '15m0s'],
  [3_600_000, '1h0m0s'],
] as const)('formats %d ms as %s', ([ms, text]) => {
  expect(formatDurationMs(ms)).toBe(text)
})
