import { expect, test } from 'vitest'
import { createEventLog } from './event-log.ts'

test('shows each holder the events after its position', () => {
  const log = createEventLog<string>()
  log.record('before')
  const first = log.hold()
  log.record('one')
  const second = log.hold()
  log.record('two')
  expect(log.since(first)).toEqual(['one', 'two'])
  expect(log.since(second)).toEqual(['two'])
  log.release(first)
  log.record('three')
  expect(log.since(second)).toEqual(['two', 'three'])
  expect(log.isLost(second)).toBe(false)
})

test('keeps a position until each of its holders has released it', () => {
  const log = createEventLog<string>()
  const position = log.hold()
  expect(log.hold()).toBe(position)
  log.release(position)
  log.record('one')
  expect(log.since(position)).toEqual(['one'])
})

test('reports that events were lost when the log is full', () => {
  const log = createEventLog<number>(8)
  const position = log.hold()
  for (let i = 0; i < 8; i++) log.record(i)
  expect(log.isLost(position)).toBe(false)
  log.record(8)
  expect(log.isLost(position)).toBe(true)
  expect(log.since(log.hold())).toEqual([])
})

test('keeps no event without a holder', () => {
  const log = createEventLog<number>(8)
  for (let i = 0; i < 100; i++) log.record(i)
  const position = log.hold()
  expect(log.since(position)).toEqual([])
  log.record(100)
  expect(log.since(position)).toEqual([100])
})
