import { expect, test } from 'vitest'
import { backoffMs, defaultBackoff } from './backoff.ts'

test.for([
  { it: 'waits for nothing before the first failure', count: 0, ms: 0 },
  { it: 'waits one second after the first', count: 1, ms: 1_000 },
  { it: 'doubles', count: 2, ms: 2_000 },
  { it: 'doubles again', count: 4, ms: 8_000 },
  { it: 'stops at ten seconds', count: 5, ms: 10_000 },
  { it: 'stays there for ever', count: 5_000, ms: 10_000 },
])('$it', ({ count, ms }) => {
  expect(backoffMs(count, defaultBackoff)).toBe(ms)
})

test('a maximum of zero turns it off', () => {
  expect(backoffMs(3, { initialMs: 1_000, maxMs: 0 })).toBe(0)
})
