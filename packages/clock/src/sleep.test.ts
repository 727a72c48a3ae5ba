import { describe, expect, test } from 'vitest'
import { pause, sleep } from './sleep.ts'
import { fakeClock } from './testing/fake-clock.ts'

const stop = new Error('stop')

describe.for([
  { name: 'sleep', wait: sleep },
  { name: 'pause', wait: pause },
])('$name', ({ wait }) => {
  test('resolves when the time has passed, and removes its listener', async () => {
    const clock = fakeClock()
    const controller = new AbortController()
    let isOver = false
    const done = wait(clock, 1_000, controller.signal).then(() => (isOver = true))
    await clock.advance(999)
    expect(isOver).toBe(false)
    await clock.advance(1)
    await done
    controller.abort(stop)
    expect(clock.pendingTimers()).toBe(0)
  })
})

test('sleep rejects with the reason of the signal and cancels its timer', async () => {
  const clock = fakeClock()
  const controller = new AbortController()
  const done = sleep(clock, 1_000, controller.signal)
  controller.abort(stop)
  await expect(done).rejects.toBe(stop)
  expect(clock.pendingTimers()).toBe(0)
  await expect(sleep(clock, 1_000, controller.signal)).rejects.toBe(stop)
})

test('pause returns early when the signal aborts and cancels its timer', async () => {
  const clock = fakeClock()
  const controller = new AbortController()
  const done = pause(clock, 1_000, controller.signal)
  controller.abort(stop)
  await done
  await pause(clock, 1_000, controller.signal)
  expect(clock.pendingTimers()).toBe(0)
})
