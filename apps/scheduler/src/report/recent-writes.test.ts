import { expect, test } from 'vitest'
import { createRecentWrites } from './recent-writes.ts'

const object = (resourceVersion: string, text = '') => ({ metadata: { resourceVersion }, text })

test('what was written counts until the watch delivers it or something newer', () => {
  const writes = createRecentWrites<ReturnType<typeof object>>()
  const written = object('12', 'written')
  writes.wrote('a', written)
  expect(writes.newest('a', object('9'))).toBe(written)
  expect(writes.newest('a', object('11'))).toBe(written)
  const delivered = object('12', 'delivered')
  expect(writes.newest('a', delivered)).toBe(delivered)
  expect(writes.newest('b', delivered)).toBe(delivered)
})

test('after a write without a response, the status is unknown until the watch delivers another version', () => {
  const writes = createRecentWrites<ReturnType<typeof object>>()
  writes.mayHaveWritten('a', object('9'))
  expect(writes.newest('a', object('9'))).toBeUndefined()
  const delivered = object('10')
  expect(writes.newest('a', delivered)).toBe(delivered)
  expect(writes.newest('a', object('9', 'again'))).toMatchObject({ text: 'again' })
})

test('the oldest of more than 10,000 writes is forgotten', () => {
  const writes = createRecentWrites<ReturnType<typeof object>>()
  for (let i = 0; i <= 10_000; i++) writes.wrote(String(i), object('12', 'written'))
  expect(writes.newest('0', object('9', 'seen'))?.text).toBe('seen')
  expect(writes.newest('1', object('9', 'seen'))?.text).toBe('written')
})
