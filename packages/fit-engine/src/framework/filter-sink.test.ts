import { StatusCode } from '@berth/types'
import { expect, test } from 'vitest'
import { FilterSink } from './filter-sink.ts'

test('each call starts with every candidate at Success, whatever the filter before has written', () => {
  const sink = new FilterSink(8)
  sink.start(2)
  expect(sink.hasRejected).toBe(false)
  sink.reject(1, StatusCode.Unschedulable, 'full')
  sink.codes[7] = StatusCode.Unschedulable
  expect([sink.hasRejected, sink.reasonsOf(1)]).toEqual([true, ['full']])
  sink.start(1)
  expect(sink.hasRejected).toBe(false)
  sink.start(8)
  sink.codes[1] = StatusCode.Unschedulable
  expect([sink.hasRejected, [...sink.codes]]).toEqual([true, [0, StatusCode.Unschedulable, 0, 0, 0, 0, 0, 0]])
  expect(sink.reasonsOf(1)).toEqual([])
})

test('a code that is written directly counts as a rejection', () => {
  const sink = new FilterSink(5)
  sink.start(5)
  const { codes } = sink
  expect(sink.hasRejected).toBe(false)
  codes[4] = StatusCode.Error
  expect(sink.hasRejected).toBe(true)
})
