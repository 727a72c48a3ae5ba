import { ApiError } from '@berth/k8s-client'
import { expect, test } from 'vitest'
import { createRecentWrites } from './recent-writes.ts'

const object = (resourceVersion: string, text = '') => ({ metadata: { resourceVersion }, text })
const lost = new Error('the connection broke')
const refused = new ApiError({ verb: 'patch', resource: 'pods', object: 'default/web' }, 429, {})

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

test('what was written is forgotten once the watch delivers it or something newer, and not before', () => {
  const writes = createRecentWrites<ReturnType<typeof object>>()
  const [written, old] = [object('12', 'written'), object('9', 'old')]
  for (const key of ['a', 'b', 'c']) writes.wrote(key, written)
  writes.delivered('a', object('11'))
  writes.delivered('b', object('12'))
  writes.forget('c')
  expect(['a', 'b', 'c'].map((key) => writes.newest(key, old)?.text)).toEqual(['written', 'old', 'old'])
  writes.failed('b', lost)
  writes.delivered('b', object('13'))
  expect(writes.newest('b', old)).toBeUndefined()
})

test('of two writes in flight, the newer version counts, whichever is answered last', () => {
  const writes = createRecentWrites<ReturnType<typeof object>>()
  const newer = object('12')
  writes.wrote('a', newer)
  writes.wrote('a', object('11'))
  expect(writes.newest('a', object('9'))).toBe(newer)
})

test('after a write without a response, the object is not known until the API server returns it', () => {
  const writes = createRecentWrites<ReturnType<typeof object>>()
  writes.failed('a', lost)
  expect(writes.newest('a', object('9'))).toBeUndefined()
  // The watch may deliver an older change of another writer first.
  expect(writes.newest('a', object('10'))).toBeUndefined()
  writes.wrote('a', object('11', 'written'))
  expect(writes.newest('a', object('10'))).toMatchObject({ text: 'written' })
  expect(writes.newest('a', object('11', 'seen'))).toMatchObject({ text: 'seen' })
})

test('a write that was refused changes nothing', () => {
  const writes = createRecentWrites<ReturnType<typeof object>>()
  writes.wrote('a', object('12', 'written'))
  writes.failed('a', refused)
  expect(writes.newest('a', object('9'))).toMatchObject({ text: 'written' })
})

test('the oldest of more than 10,000 writes is forgotten', () => {
  const writes = createRecentWrites<ReturnType<typeof object>>()
  for (let i = 0; i <= 10_000; i++) writes.wrote(String(i), object('12', 'written'))
  expect(writes.newest('0', object('9', 'seen'))?.text).toBe('seen')
  expect(writes.newest('1', object('9', 'seen'))?.text).toBe('written')
})
