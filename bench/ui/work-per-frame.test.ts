import { expect, test } from 'vitest'
import { type TraceEvent, workPerFrame } from './work-per-frame.ts'

test('adds up the tasks of each frame of the main thread', () => {
  const thread = { pid: 1, tid: 2 }
  const task = (ts: number, tdur: number): TraceEvent => ({ ...thread, name: 'RunTask', ts, tdur })
  const events: readonly TraceEvent[] = [
    { ...thread, name: 'thread_name', ts: 0, args: { name: 'CrRendererMain' } },
    { pid: 1, tid: 3, name: 'thread_name', ts: 0, args: { name: 'Compositor' } },
    task(0, 1_000),
    task(10_000, 3_000),
    // Part of a task.
    { ...thread, name: 'FunctionCall', ts: 10_000, tdur: 2_000 },
    // Another thread.
    { pid: 1, tid: 3, name: 'RunTask', ts: 10_000, tdur: 9_000 },
    // The next frame; counts as a whole where it begins.
    task(20_000, 30_000),
  ]
  expect(workPerFrame(events)).toEqual([4, 30])
})
