import { getEventListeners } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { onAbort } from './on-abort.ts'

describe('onAbort', () => {
  test('calls every callback once, in the order in which they were added', () => {
    const stop = new AbortController()
    const calls: string[] = []
    const same = (): void => void calls.push('same')
    onAbort(stop.signal, () => calls.push('first'))
    onAbort(stop.signal, same)
    onAbort(stop.signal, same)
    stop.abort()
    stop.abort()
    expect(calls).toEqual(['first', 'same', 'same'])
  })

  test('does not call a callback that was removed, also by a callback before it', () => {
    const stop = new AbortController()
    const removed = vi.fn()
    onAbort(stop.signal, removed)()
    onAbort(stop.signal, () => removeLast())
    const removeLast = onAbort(stop.signal, removed)
    stop.abort()
    expect(removed).not.toHaveBeenCalled()
  })

  test('does nothing without a signal, or with one that has aborted', () => {
    const callback = vi.fn()
    onAbort(undefined, callback)()
    onAbort(AbortSignal.abort(), callback)()
    expect(callback).not.toHaveBeenCalled()
  })

  test('adds one listener for all callbacks, and removes it with the last one', () => {
    const { signal } = new AbortController()
    const remove = [onAbort(signal, () => undefined), onAbort(signal, () => undefined)]
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    for (const each of remove) each()
    for (const each of remove) each()
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    onAbort(signal, () => undefined)
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  })

  test('a removed callback does not remove one that was added to a new listener', () => {
    const stop = new AbortController()
    const removeFirst = onAbort(stop.signal, () => undefined)
    removeFirst()
    const callback = vi.fn()
    onAbort(stop.signal, callback)
    removeFirst()
    stop.abort()
    expect(callback).toHaveBeenCalledOnce()
  })
})
