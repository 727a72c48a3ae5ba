import { expect, test } from 'vitest'
import { microTime } from './micro-time.ts'

test.for([
  [0, '1970-01-01T00:00:00.000000Z'],
  [1_767_225_600_123, '2026-01-01T00:00:00.123000Z'],
  [1_767_225_600_123.456, '2026-01-01T00:00:00.123456Z'],
] as const)('%d ms is %s: always six digits', ([ms, text]) => {
  expect(microTime(ms)).toMatch(/\.\d{6}Z$/)
  expect(microTime(ms).slice(0, 26)).toBe(text.slice(0, 26))
})
