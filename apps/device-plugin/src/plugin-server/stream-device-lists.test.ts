import { createTestClock } from '@berth/clock/testing'
import type { ListAndWatchResponse } from '@berth/kubelet-api'
import { silentLogger, type Device } from '@berth/types'
import { expect, test } from 'vitest'
import { streamDeviceLists, toListAndWatchResponse } from './stream-device-lists.ts'
import { createDeviceTable } from '../devices/device-table.ts'

const devices = (...ids: string[]): Device[] => ids.map((id) => ({ id, health: 'Healthy' }))

function setUp() {
  const clock = createTestClock()
  const table = createDeviceTable({ resourceName: 'e.x/d', keepMissingMs: 0, clock, log: silentLogger })
  const sent: string[] = []
  let isFast = true
  let drain = (): void => {}
  let count = 0
  const stream = {
    write(message: ListAndWatchResponse) {
      sent.push(message.devices.map(({ ID }) => ID).join(' '))
      return isFast
    },
    end() {},
    once(_event: 'drain', listener: () => void) {
      drain = listener
    },
  }
  const stop = streamDeviceLists({ stream, table, clock, onSent: () => count++ })
  return {
    clock,
    table,
    sent,
    stop,
    count: () => count,
    drain: () => drain(),
    slow: () => {
      isFast = false
    },
  }
}

test('sends the list as soon as there is one, then each change, bursts as one', () => {
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

test('says nothing that it said before', () => {
  const { clock, table, sent } = setUp()
  table.update(devices('a'))
  clock.advance(50)
  table.update(devices('a', 'b'))
  table.update(devices('a'))
  clock.advance(50)
  expect(sent).toEqual(['a'])
})

test('a slow reader gets the newest list only', () => {
  const { clock, table, sent, slow, drain } = setUp()
  slow()
  table.update(devices('a'))
  clock.advance(50)
  for (const ids of [['b'], ['c'], ['d']]) {
    table.update(devices(...ids))
    clock.advance(50)
  }
  expect(sent).toEqual(['a'])
  drain()
  expect(sent).toEqual(['a', 'd'])
})

test('a stopped stream gets nothing more', () => {
  const { clock, table, sent, stop } = setUp()
  table.update(devices('a'))
  stop()
  clock.advance(50)
  expect(sent).toEqual([])
})

test('NUMA nodes are told where they are known', () => {
  const { devices: list } = toListAndWatchResponse([
    { id: 'a', health: 'Unhealthy', numaNodes: [0, 2] },
    { id: 'b', health: 'Healthy', numaNodes: [] },
  ])
  expect(list).toEqual([
    { ID: 'a', health: 'Unhealthy', topology: { nodes: [{ ID: 0 }, { ID: 2 }] } },
    { ID: 'b', health: 'Healthy', topology: undefined },
  ])
})
