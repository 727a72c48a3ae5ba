import { expect, test } from 'vitest'
import { createResponseBody } from './response-body.ts'

function bodyWithSource() {
  const calls: string[] = []
  const body = createResponseBody({
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
    cancel: () => void calls.push('cancel'),
  })
  return { body, calls, reader: body[Symbol.asyncIterator]() }
}

const bytes = (text: string): Uint8Array => Buffer.from(text)

test('yields what arrived before it is read, what arrives while it is awaited, and ends', async () => {
  const { body, calls, reader } = bodyWithSource()
  body.push(bytes('a'))
  body.push(bytes('b'))
  expect(await reader.next()).toEqual({ done: false, value: bytes('a') })
  expect(await reader.next()).toEqual({ done: false, value: bytes('b') })
  const awaited = reader.next()
  body.push(bytes('c'))
  expect(await awaited).toEqual({ done: false, value: bytes('c') })
  const last = reader.next()
  body.end()
  expect(await last).toEqual({ done: true, value: undefined })
  expect(await reader.next()).toEqual({ done: true, value: undefined })
  expect(calls).toEqual([])
})

test('fails after what arrived before, and fails again', async () => {
  const { body, reader } = bodyWithSource()
  const error = new Error('reset')
  body.push(bytes('a'))
  body.fail(error)
  expect(await reader.next()).toEqual({ done: false, value: bytes('a') })
  await expect(reader.next()).rejects.toBe(error)
  await expect(reader.next()).rejects.toBe(error)
})

test('fails a reader that waits', async () => {
  const { body, reader } = bodyWithSource()
  const awaited = reader.next()
  const error = new Error('reset')
  body.fail(error)
  await expect(awaited).rejects.toBe(error)
})

test('a reader that stalls pauses the source once, until few bytes wait', async () => {
  const { body, calls, reader } = bodyWithSource()
  const chunk = new Uint8Array(100 * 1024)
  for (let i = 0; i < 4; i++) body.push(chunk)
  expect(calls).toEqual(['pause'])
  await reader.next()
  expect(calls).toEqual(['pause'])
  await reader.next()
  expect(calls).toEqual(['pause', 'resume'])
})

test('a reader that leaves cancels the source, and the rest is dropped; after the end there is nothing to cancel', async () => {
  const left = bodyWithSource()
  left.body.push(bytes('a'))
  for await (const _ of left.body) break
  left.body.push(bytes('b'))
  left.body.fail(new Error('canceled'))
  expect(left.calls).toEqual(['cancel'])
  const ended = bodyWithSource()
  ended.body.push(bytes('a'))
  ended.body.end()
  for await (const _ of ended.body) break
  expect(ended.calls).toEqual([])
})
