import { describe, expect, test } from 'vitest'
import { fakeClock } from './fake-clock.ts'
import { createTestClock } from './test-clock.ts'

describe('fakeClock', () => {
  test('runs timers in order, at their time, and those that they start', async () => {
    const clock = fakeClock({ startMs: 0 })
    const ran: string[] = []
    clock.setTimer(20, () => ran.push(`b ${clock.now()}`))
    clock.setTimer(10, () => {
      ran.push(`a ${clock.now()}`)
      clock.setTimer(-5, () => ran.push(`c ${clock.monotonic()}`))
    })
    clock.setTimer(31, () => ran.push('late'))
    await clock.advance(30)
    expect(ran).toEqual(['a 10', 'c 10', 'b 20'])
    expect(clock.monotonic()).toBe(30)
    expect(clock.pendingTimers()).toBe(1)
  })

  test('counts a cancelled timer as gone, however often it is cancelled', async () => {
    const clock = fakeClock()
    const timer = clock.setTimer(10, () => expect.unreachable())
    clock.setTimer(10, () => {})
    timer.cancel()
    timer.cancel()
    expect(clock.pendingTimers()).toBe(1)
    await clock.advance(10)
    timer.cancel()
    expect(clock.pendingTimers()).toBe(0)
  })

  test('lets promises settle after each timer', async () => {
    const clock = fakeClock()
    const ran: number[] = []
    for (const n of [1, 2]) clock.setTimer(10, () => void Promise.resolve().then(() => ran.push(n, ran.length)))
    await clock.advance(10)
    expect(ran).toEqual([1, 0, 2, 2])
  })
})

describe('createTestClock', () => {
  test('advance runs all timers before promises settle', async () => {
    const clock = createTestClock()
    const ran: string[] = []
    for (const ms of [1, 2]) {
      clock.setTimer(ms, () => {
        ran.push(`timer ${ms}`)
        void Promise.resolve().then(() => ran.push(`promise ${ms}`))
      })
    }
    clock.advance(2)
    expect(ran).toEqual(['timer 1', 'timer 2'])
    await Promise.resolve()
    expect(ran.slice(2)).toEqual(['promise 1', 'promise 2'])
  })

  test('run lets promises settle after each instant, not after each timer', async () => {
    const clock = createTestClock()
    const ran: string[] = []
    for (const [name, ms] of [['a', 1] as const, ['b', 1] as const, ['c', 2] as const]) {
      clock.setTimer(ms, () => {
        ran.push(name)
        void Promise.resolve().then(() => ran.push(`${name} settled`))
      })
    }
    await clock.run(2)
    expect(ran).toEqual(['a', 'b', 'a settled', 'b settled', 'c', 'c settled'])
  })
})
