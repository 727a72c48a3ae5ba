import { describe, expect, test } from 'vitest'
import { createWatchStream } from './watch-stream.ts'

const MIB = 'x'.repeat(1024 * 1024)

describe('a watch whose client does not read', () => {
  test('ends when more than 64 MiB are pending', () => {
    let closed = 0
    const stream = createWatchStream(() => closed++)
    for (let i = 0; i < 64; i++) stream.push(MIB)
    expect(stream.isEnded).toBe(false)
    stream.push('y')
    expect([stream.isEnded, closed]).toEqual([true, 1])
  })

  test('can start with a larger backlog', () => {
    const stream = createWatchStream(() => undefined)
    for (let i = 0; i < 65; i++) stream.pushBacklog(MIB)
    stream.push('y')
    expect(stream.isEnded).toBe(false)
  })

  test('gets the full limit again after a read', async () => {
    const stream = createWatchStream(() => undefined)
    const reader = stream.body[Symbol.asyncIterator]()
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 40; i++) stream.push(MIB)
      expect((await reader.next()).value?.byteLength).toBe(40 * (MIB.length + 1))
    }
    expect(stream.isEnded).toBe(false)
  })
})

test('sends a long backlog in several chunks, before what came later', async () => {
  const stream = createWatchStream(() => undefined)
  for (let i = 0; i < 10_000; i++) stream.pushBacklog(String(i))
  stream.push('later')
  stream.end()
  const chunks: string[][] = []
  for await (const chunk of stream.body) chunks.push(new TextDecoder().decode(chunk).trimEnd().split('\n'))
  expect(Math.max(...chunks.map((frames) => frames.length))).toBeLessThan(5_000)
  expect(chunks.flat()).toEqual([...Array.from({ length: 10_000 }, (_, i) => String(i)), 'later'])
})
