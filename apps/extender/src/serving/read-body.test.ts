import { fakeClock } from '@berth/clock/testing'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createBodyDiscarder } from './discard-body.ts'
import { readBody } from './read-body.ts'

const bounds = { maxBytes: 4 * 1024 * 1024, maxNodes: 10 }
const discarder = createBodyDiscarder(fakeClock())
const asText = (bytes: Buffer): string => bytes.toString('latin1')

test.for([0, 1, 2, 7])('a body in %i parts is the whole body', async (parts) => {
  const payload = new PassThrough()
  const read = readBody(payload, bounds, discarder, asText)
  for (let part = 0; part < parts; part++) payload.write(`part ${part} `)
  payload.end()
  await expect(read).resolves.toBe(Array.from({ length: parts }, (_, part) => `part ${part} `).join(''))
})

test('bodies that arrive at the same time are kept apart', async () => {
  const payloads = ['a', 'b', 'c'].map((letter) => ({ letter, stream: new PassThrough() }))
  const reads = payloads.map(({ stream }) => readBody(stream, bounds, discarder, asText))
  for (let part = 0; part < 3; part++) for (const { letter, stream } of payloads) stream.write(letter.repeat(1_000))
  for (const { stream } of payloads) stream.end()
  await expect(Promise.all(reads)).resolves.toEqual(payloads.map(({ letter }) => letter.repeat(3_000)))
})

test('a body of more than a MiB is the whole body', async () => {
  const payload = new PassThrough()
  const read = readBody(payload, bounds, discarder, asText)
  for (let part = 0; part < 3; part++) payload.write('x'.repeat(700_000))
  payload.end()
  expect((await read).length).toBe(2_100_000)
})

test.for([undefined, new Error('reset by the caller')])('a body that ends early is refused: %s', async (cause) => {
  const payload = new PassThrough()
  const read = readBody(payload, bounds, discarder, asText)
  payload.write('the first part')
  payload.destroy(cause)
  await expect(read).rejects.toThrow(cause?.message ?? 'the request was closed before the end of its body')
  await expect(readBody(payload, bounds, discarder, asText)).rejects.toThrow(
    'the request was closed before its body was read',
  )
})

test.for([1, 7, 1_000, 100_000])(
  'a body in parts of %i bytes is refused from the shortest list of too many names on',
  async (partBytes) => {
    const read = async (names: number): Promise<string> => {
      const payload = new PassThrough()
      const body = readBody(payload, bounds, discarder, asText)
      const text = JSON.stringify(Array.from({ length: names }, () => ''))
      for (let at = 0; at < text.length; at += partBytes) payload.write(text.slice(at, at + partBytes))
      payload.end()
      return body
    }
    await expect(read(10_011)).resolves.toHaveLength(30_034)
    await expect(read(10_012)).rejects.toThrow('it names more than 10 nodes: raise maxNodesPerRequest')
  },
)
