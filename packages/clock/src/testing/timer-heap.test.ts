import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTimerHeap } from './timer-heap.ts'

test('tasks come out by time, those of one time in order, cancelled ones never', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ atMs: fc.nat(20), isCancelled: fc.boolean() }), { maxLength: 60 }), (tasks) => {
      const heap = createTimerHeap()
      for (const { atMs, isCancelled } of tasks) {
        const entry = heap.push(atMs, () => {})
        entry.isCancelled = isCancelled
      }
      const seen: number[] = []
      for (let due = heap.pop(15); due !== undefined; due = heap.pop(15)) seen.push(due.atMs)
      const expected = tasks.filter((each) => !each.isCancelled && each.atMs <= 15).map((each) => each.atMs)
      expect(seen).toEqual(expected.toSorted((a, b) => a - b))
    }),
  )
})

test('tasks of one time keep their order', () => {
  const heap = createTimerHeap()
  const ran: number[] = []
  for (let i = 0; i < 50; i++) heap.push(i % 2, () => ran.push(i))
  for (let due = heap.pop(1); due !== undefined; due = heap.pop(1)) due.task()
  expect(ran).toEqual([
    ...Array.from({ length: 25 }, (_, i) => 2 * i),
    ...Array.from({ length: 25 }, (_, i) => 2 * i + 1),
  ])
})
