import { createTestClock } from '@berth/clock/testing'
import type { Device } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { discoverOnce, formatDiscoveryJson, formatDiscoveryTable } from './discover.ts'

const devices: Device[] = [
  { id: 'b', health: 'Unhealthy', reason: 'too hot', numaNodes: [0, 1] },
  { id: 'a', health: 'Healthy', paths: ['/dev/serial/by-id/a', '/dev/ttyUSB0'] },
]
const sourceOf = (discover: (signal: AbortSignal) => AsyncIterable<readonly Device[]>) => ({
  discover,
  allocate: () => ({}),
})

describe('discoverOnce', () => {
  test('returns the first inventory and stops the source', async () => {
    let isStopped = false
    const source = sourceOf(async function* (signal) {
      try {
        yield devices
        yield []
      } finally {
        isStopped = signal.aborted
      }
    })
    const found = await discoverOnce('e.x/d', source, createTestClock())
    expect(found.devices.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(isStopped).toBe(true)
  })

  test('returns the error of a source that fails', async () => {
    // oxlint-disable-next-line require-yield
    const source = sourceOf(async function* () {
      throw new Error('no bus')
    })
    expect(await discoverOnce('e.x/d', source, createTestClock())).toMatchObject({ devices: [], problem: 'no bus' })
  })

  test('returns the devices and the error of an incomplete inventory', async () => {
    const source = sourceOf(async function* () {
      yield devices
      throw new Error('half of the bus is missing')
    })
    const found = await discoverOnce('e.x/d', source, createTestClock())
    expect(found).toMatchObject({ problem: 'half of the bus is missing', devices: [{ id: 'a' }, { id: 'b' }] })
    expect(formatDiscoveryTable([found])).toMatch(/ b .*\n.*failed: half of the bus is missing\n$/s)
  })

  test('times out', async () => {
    const clock = createTestClock()
    // oxlint-disable-next-line require-yield
    const source = sourceOf(async function* () {
      await new Promise(() => {})
    })
    const found = discoverOnce('e.x/d', source, clock)
    clock.advance(10_000)
    expect((await found).problem).toBe('no answer within 10 s')
  })
})

test('formats one line per device, and one for a resource without devices', () => {
  const text = formatDiscoveryTable([
    { resourceName: 'e.x/d', devices },
    { resourceName: 'e.x/none', devices: [] },
    { resourceName: 'e.x/out', devices: [], leftOut: [{ id: 'c', reason: 'gone' }] },
    { resourceName: 'e.x/broken', devices: [], problem: 'no bus' },
  ])
  expect(text.split('\n')).toEqual([
    'RESOURCE    DEVICE  HEALTH               NUMA  PATHS',
    'e.x/d       b       Unhealthy (too hot)  0,1   -',
    'e.x/d       a       Healthy              -     /dev/serial/by-id/a -> /dev/ttyUSB0',
    'e.x/none    -       no devices found',
    'e.x/out     c       left out (gone)',
    'e.x/broken  -       failed: no bus',
    '',
  ])
})

test('formats the same content as JSON', () => {
  expect(
    JSON.parse(
      formatDiscoveryJson([
        { resourceName: 'e.x/d', devices, problem: 'half', leftOut: [{ id: 'c', reason: 'gone' }] },
      ]),
    ),
  ).toEqual({
    resources: [
      {
        name: 'e.x/d',
        problem: 'half',
        leftOut: [{ id: 'c', reason: 'gone' }],
        devices: [
          { id: 'b', health: 'Unhealthy', reason: 'too hot', numaNodes: [0, 1], paths: [] },
          { id: 'a', health: 'Healthy', numaNodes: [], paths: ['/dev/serial/by-id/a', '/dev/ttyUSB0'] },
        ],
      },
    ],
  })
})

test('escapes names of host files that contain terminal sequences', () => {
  const path = '/dev/a\u001B[2J\u009B1m\n\u202E'
  const found = [
    { resourceName: 'e.x/d', devices: [{ id: 'a', health: 'Unhealthy' as const, reason: path, paths: [path] }] },
  ]
  const table = formatDiscoveryTable([...found, { resourceName: 'e.x/f', devices: [], problem: path }])
  expect(table).not.toMatch(/[^\P{C}\n]/u)
  expect(table.split('\n')).toHaveLength(4)
  const json = formatDiscoveryJson(found)
  expect(json).not.toMatch(/[^\P{C}\n]/u)
  expect(JSON.parse(json)).toMatchObject({ resources: [{ devices: [{ reason: path, paths: [path] }] }] })
})
