import { expect, test } from 'vitest'
import { parseDurationMs } from './duration.ts'

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
