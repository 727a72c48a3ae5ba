import { createTestClock } from '@berth/clock/testing'
import type { ListAndWatchResponse } from '@berth/kubelet-api'
import { silentLogger, type Device } from '@berth/types'
import { Writable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { streamDeviceLists, toListAndWatchResponse } from './stream-device-lists.ts'
import { createDeviceTable } from '../devices/device-table.ts'

const devices = (...ids: string[]): Device[] => ids.map((id) => ({ id, health: 'Healthy' }))

function setUp() {
  const clock = createTestClock()
  const table = createDeviceTable({ resourceName: 'e.x/d', keepMissingMs: 0, clock, log: silentLogger })
  const sent: string[] = []
  let isFast = true
  let flush = (): void => {}
  let count = 0
  const stream = {
    write(message: ListAndWatchResponse, onFlushed: () => void) {
      sent.push(message.devices.map(({ ID }) => ID).join(' '))
      if (isFast) onFlushed()
      else flush = onFlushed
    },
  }
  const stop = streamDeviceLists({ stream, table, clock, onSent: () => count++ })
  return {
    clock,
    table,
    sent,
    stop,
    count: () => count,
    flush: () => flush(),
    slow: () => {
      isFast = false
    },
  }
}

test('sends the first list at once, then each change, and a burst of changes as one list', () => {
  const { clock, table, sent, count } = setUp()
  expect(sent).toEqual([])
  table.update(devices('a'))
  clock.advance(50)
  table.update(devices('a', 'b'))
  table.update(devices('a', 'b', 'c'))
  clock.advance(49)
  expect(sent).toEqual(['a'])
  clock.advance(1)
  expect(sent).toEqual(['a', 'a b c'])
  expect(count()).toBe(2)
})

test('does not send an unchanged list again', () => {
  const { clock, table, sent } = setUp()
  table.update(devices('a'))
  clock.advance(50)
  table.update(devices('a', 'b'))
  table.update(devices('a'))
  clock.advance(50)
  expect(sent).toEqual(['a'])
})

test('sends only the newest list to a slow reader', () => {
  const { clock, table, sent, slow, flush } = setUp()
  slow()
  table.update(devices('a'))
  clock.advance(50)
  for (const ids of [['b'], ['c'], ['d']]) {
    table.update(devices(...ids))
    clock.advance(50)
  }
  expect(sent).toEqual(['a'])
  flush()
  expect(sent).toEqual(['a', 'd'])
})

test('has at most one list in a stream whose buffer has room for more', () => {
  const { clock, table } = setUp()
  const written: string[] = []
  let flush = (): void => {}
  // Like the gRPC stream: an object stream with room for 16 messages.
  const slow = new Writable({
    objectMode: true,
    write(message: ListAndWatchResponse, _encoding, callback) {
      written.push(message.devices.map(({ ID }) => ID).join(' '))
      flush = callback
    },
  })
  const stop = streamDeviceLists({ stream: slow, table, clock, onSent: () => {} })
  onTestFinished(() => stop({ flushes: false }))
  for (let i = 0; i < 30; i++) {
    table.update(devices(`d${i}`))
    clock.advance(50)
  }
  expect(slow.writableLength).toBe(1)
  flush()
  flush()
  expect(written).toEqual(['d0', 'd29'])
})

test('sends nothing after it was stopped', () => {
  const { clock, table, sent, stop } = setUp()
  table.update(devices('a'))
  stop({ flushes: false })
  clock.advance(50)
  expect(sent).toEqual([])
})

test('sends a waiting change before it stops, because an uninstall withdraws the devices last', () => {
  const { clock, table, sent, stop } = setUp()
  table.update(devices('a'))
  clock.advance(50)
  table.withdraw(true)
  stop({ flushes: true })
  table.withdraw(false)
  clock.advance(50)
  expect(sent).toEqual(['a', ''])
})

test('includes the known NUMA nodes of a device', () => {
  const { devices: list } = toListAndWatchResponse([
    { id: 'a', health: 'Unhealthy', numaNodes: [0, 2] },
    { id: 'b', health: 'Healthy', numaNodes: [] },
  ])
  expect(list).toEqual([
    { ID: 'a', health: 'Unhealthy', topology: { nodes: [{ ID: 0 }, { ID: 2 }] } },
    { ID: 'b', health: 'Healthy', topology: undefined },
  ])
})
