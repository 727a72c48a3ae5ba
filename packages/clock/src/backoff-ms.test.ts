import { expect, test } from 'vitest'
import { backoffMs } from './backoff-ms.ts'

const limits = { initialMs: 1_000, maxMs: 10_000 }

test.for([
  { it: 'does not wait before the first failure', failures: 0, ms: 0 },
  { it: 'waits the initial delay after the first failure', failures: 1, ms: 1_000 },
  { it: 'doubles', failures: 2, ms: 2_000 },
  { it: 'doubles again', failures: 4, ms: 8_000 },
  { it: 'stops at the maximum', failures: 5, ms: 10_000 },
  { it: 'stays at the maximum', failures: 5_000, ms: 10_000 },
])('$it', ({ failures, ms }) => {
  expect(backoffMs(failures, limits)).toBe(ms)
})

test('a maximum of zero disables the delay', () => {
  expect(backoffMs(3, { initialMs: 1_000, maxMs: 0 })).toBe(0)
})
