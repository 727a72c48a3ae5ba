import { fakeClock } from '@berth/clock/testing'
import { describe, expect, test } from 'vitest'
import type { CallPriority } from './call-options.ts'
import { createRateLimit } from './rate-limit.ts'

describe('the rate limit', () => {
  test('lets a burst through at once and the rest at the rate', async () => {
    const clock = fakeClock()
    const limit = createRateLimit({ qps: 10, burst: 5, clock })
    const starts: number[] = []
    for (let i = 0; i < 10; i++) void limit.acquire('normal').then(() => starts.push(clock.monotonic()))
    await clock.settle()
    expect(starts).toHaveLength(5)
    expect(limit.waiting()).toBe(5)
    await clock.advance(1_000)
    expect(starts).toHaveLength(10)
    for (const [i, at] of starts.slice(5).entries()) expect(at).toBeCloseTo((i + 1) * 100, -1)
  })

  test('starts binds before waiting calls, events after all others, and leases at once', async () => {
    const clock = fakeClock()
    const limit = createRateLimit({ qps: 10, burst: 1, clock })
    const order: string[] = []
    const ask = (name: string, priority: CallPriority): void =>
      void limit.acquire(priority).then(() => order.push(name))
    ask('first', 'low')
    ask('event', 'low')
    ask('list', 'normal')
    ask('bind', 'high')
    ask('list 2', 'normal')
    ask('lease', 'exempt')
    await clock.advance(1_000)
    expect(order).toEqual(['first', 'lease', 'bind', 'list', 'list 2', 'event'])
  })

  test('a cancelled call that waited takes no token', async () => {
    const clock = fakeClock()
    const limit = createRateLimit({ qps: 1, burst: 1, clock })
    await limit.acquire('normal')
    const cancelled = new AbortController()
    const waiting = limit.acquire('high', cancelled.signal)
    const next = limit.acquire('normal').then(() => clock.monotonic())
    cancelled.abort(new Error('cancelled'))
    await expect(waiting).rejects.toThrow('cancelled')
    await clock.advance(1_100)
    expect(await next).toBeLessThan(1_100)
    await expect(limit.acquire('high', AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  })

  test('0 means no limit', async () => {
    const limit = createRateLimit({ qps: 0, burst: 1, clock: fakeClock() })
    await Promise.all(Array.from({ length: 1_000 }, () => limit.acquire('low')))
    expect(limit.waiting()).toBe(0)
  })
})
