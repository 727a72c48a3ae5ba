import { describe, expect, test } from 'vitest'
import { createWatchStream } from './watch-stream.ts'

const MIB = 'x'.repeat(1024 * 1024)

describe('a watch whose client does not read', () => {
  test('ends once 64 MiB wait', () => {
    let closed = 0
    const stream = createWatchStream(() => closed++)
    for (let i = 0; i < 64; i++) stream.push(MIB)
    expect(stream.isEnded).toBe(false)
    stream.push('y')
    expect([stream.isEnded, closed]).toEqual([true, 1])
  })

  test('may begin with more than that', () => {
    const stream = createWatchStream(() => undefined)
    for (let i = 0; i < 65; i++) stream.pushBacklog(MIB)
    stream.push('y')
    expect(stream.isEnded).toBe(false)
  })

  test('has all of it again once it has read', async () => {
    const stream = createWatchStream(() => undefined)
    const reader = stream.body[Symbol.asyncIterator]()
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 40; i++) stream.push(MIB)
      expect((await reader.next()).value?.byteLength).toBe(40 * (MIB.length + 1))
    }
    expect(stream.isEnded).toBe(false)
  })
})
