import { fakeClock } from '@berth/clock/testing'
import { describe, expect, test } from 'vitest'
import { REFRESH_MS, sharedRead } from './shared-read.ts'

describe('sharedRead', () => {
  test('shares a read among callers, and reads again after the interval', async () => {
    const clock = fakeClock()
    let reads = 0
    const read = sharedRead(clock, async () => ++reads)
    expect(await Promise.all([read(), read()])).toEqual([1, 1])
    expect(await read()).toBe(1)
    await clock.advance(REFRESH_MS)
    expect(await read()).toBe(2)
  })

  test('waits ten times as long as a slow read took', async () => {
    const clock = fakeClock()
    let reads = 0
    const read = sharedRead(clock, async () => {
      await new Promise<void>((resolve) => void clock.setTimer(1_000, resolve))
      return ++reads
    })
    const first = read()
    await clock.advance(1_000)
    expect(await first).toBe(1)
    await clock.advance(9_999)
    expect(await read()).toBe(1)
    await clock.advance(1)
    const second = read()
    await clock.advance(1_000)
    expect(await second).toBe(2)
  })

  test('reads again after a failure', async () => {
    const clock = fakeClock()
    const results: (string | Error)[] = ['a', new Error('no route'), 'b']
    const read = sharedRead<string>(clock, async () => {
      const result = results.shift()
      if (typeof result !== 'string') throw result
      return result
    })
    expect(await read()).toBe('a')
    await clock.advance(REFRESH_MS)
    await expect(read()).rejects.toThrow('no route')
    expect(await read()).toBe('b')
  })
})
