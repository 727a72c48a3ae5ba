import { expect, test } from 'vitest'
import { createFrameQueue } from './frame-queue.ts'

/** A queue whose frames the test runs. */
function queueWithFrames() {
  const frames: (() => void)[] = []
  const queue = createFrameQueue((work) => void frames.push(work))
  const done: string[] = []
  return {
    queue,
    done,
    request: (owner: object, name: string) => queue.request(owner, () => void done.push(name)),
    frames,
    runFrame: () => frames.splice(0).forEach((work) => work()),
  }
}

test('runs one piece of work in each frame, in the order of the requests', () => {
  const { request, done, runFrame } = queueWithFrames()
  request({}, 'a')
  request({}, 'b')
  expect(done).toEqual([])
  runFrame()
  expect(done).toEqual(['a'])
  runFrame()
  expect(done).toEqual(['a', 'b'])
})

test('asks for no frame without work', () => {
  const { request, frames, runFrame } = queueWithFrames()
  request({}, 'a')
  expect(frames).toHaveLength(1)
  runFrame()
  expect(frames).toHaveLength(0)
})

test('runs only the last work of an owner, at the place of its first request', () => {
  const { request, done, runFrame } = queueWithFrames()
  const owner = {}
  request(owner, 'old')
  request({}, 'other')
  request(owner, 'new')
  runFrame()
  runFrame()
  runFrame()
  expect(done).toEqual(['new', 'other'])
})

test('runs no work that was withdrawn', () => {
  const { queue, request, done, runFrame } = queueWithFrames()
  const owner = {}
  request(owner, 'a')
  queue.cancel(owner)
  runFrame()
  request({}, 'b')
  runFrame()
  expect(done).toEqual(['b'])
})

test('goes on after work that throws', () => {
  const { queue, request, done, runFrame } = queueWithFrames()
  queue.request({}, () => {
    throw new Error('broken')
  })
  request({}, 'b')
  expect(runFrame).toThrow('broken')
  runFrame()
  expect(done).toEqual(['b'])
})
