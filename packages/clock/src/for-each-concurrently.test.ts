import { expect, test } from 'vitest'
import { forEachConcurrently } from './for-each-concurrently.ts'

test('works on each item once, in their order, and on no more than the limit at once', async () => {
  const started: number[] = []
  const running: (() => void)[] = []
  const done = forEachConcurrently([1, 2, 3, 4, 5], 2, (item) => {
    started.push(item)
    return new Promise<void>((resolve) => running.push(resolve))
  })
  for (let item = 1; item <= 5; item++) {
    expect(started).toEqual([1, 2, 3, 4, 5].slice(0, Math.min(item + 1, 5)))
    running.shift()?.()
    await new Promise(setImmediate)
  }
  await done
})

test('starts nothing after the signal is aborted', async () => {
  const stop = new AbortController()
  const started: number[] = []
  const work = (item: number) => {
    started.push(item)
    if (item === 2) stop.abort()
    return Promise.resolve()
  }
  await forEachConcurrently([1, 2, 3, 4], 1, work, stop.signal)
  expect(started).toEqual([1, 2])
})
