import type { Clock } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { callHook } from './call-hook.ts'

/** A clock whose one timer the test fires. */
function handClock() {
  const timers = new Set<() => void>()
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    setTimer: (_delayMs, task) => {
      timers.add(task)
      return { cancel: () => timers.delete(task) }
    },
  }
  return { clock, timers, fire: () => timers.forEach((task) => task()) }
}

const options = { plugin: 'mine', hook: 'permit', deadlineMs: 100 }

describe('callHook', () => {
  test('returns the result and leaves no timer', async () => {
    const { clock, timers } = handClock()
    expect(await callHook({ ...options, clock }, () => 7)).toBe(7)
    expect(timers.size).toBe(0)
  })

  test.for([
    {
      it: 'throws',
      run: () => {
        throw new Error('boom')
      },
    },
    { it: 'rejects', run: () => Promise.reject(new Error('boom')) },
  ])('names plugin and hook when it $it', async ({ run }) => {
    const { clock, timers } = handClock()
    await expect(callHook({ ...options, clock }, run)).rejects.toMatchObject({
      code: 'BERTH_PLUGIN_HOOK_FAILED',
      message: 'run permit of plugin mine: boom',
      cause: expect.objectContaining({ message: 'boom' }),
    })
    expect(timers.size).toBe(0)
  })

  test('rejects at the deadline and aborts the hook', async () => {
    const { clock, fire } = handClock()
    let seen: AbortSignal | undefined
    const running = callHook({ ...options, clock }, (signal) => {
      seen = signal
      return new Promise(() => {})
    })
    fire()
    await expect(running).rejects.toMatchObject({
      code: 'BERTH_PLUGIN_DEADLINE',
      message: 'run permit of plugin mine: no result within 100 ms',
      retryable: true,
    })
    expect(seen?.aborted).toBe(true)
  })

  test('rejects when its signal is aborted', async () => {
    const { clock } = handClock()
    const stop = new AbortController()
    const running = callHook({ ...options, clock, signal: stop.signal }, () => new Promise(() => {}))
    stop.abort()
    await expect(running).rejects.toMatchObject({ code: 'BERTH_PLUGIN_ABORTED' })
  })

  test('does not start the hook when its signal is already aborted', async () => {
    const { clock } = handClock()
    let isStarted = false
    const running = callHook({ ...options, clock, signal: AbortSignal.abort() }, () => {
      isStarted = true
    })
    await expect(running).rejects.toMatchObject({ code: 'BERTH_PLUGIN_ABORTED' })
    expect(isStarted).toBe(false)
  })

  test('drops a late rejection', async () => {
    const { clock, fire } = handClock()
    let fail: (error: Error) => void = () => {}
    const running = callHook(
      { ...options, clock },
      () =>
        new Promise((_resolve, reject) => {
          fail = reject
        }),
    )
    fire()
    await expect(running).rejects.toMatchObject({ code: 'BERTH_PLUGIN_DEADLINE' })
    fail(new Error('late'))
    await new Promise((resolve) => setImmediate(resolve))
  })
})
