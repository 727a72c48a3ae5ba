import { createTestClock } from '@berth/clock/testing'
import { silentLogger, type Device } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { createDeviceIds } from './device-ids.ts'
import { createDeviceTable } from './device-table.ts'

const device = (id: string, health: Device['health'] = 'Healthy', reason?: string): Device => ({
  id,
  health,
  ...(reason !== undefined && { reason }),
})

function setUp(keepMissingMs = 0) {
  const clock = createTestClock()
  const lines: string[] = []
  const note = (fields: Readonly<Record<string, unknown>>, message: string): void => {
    const { deviceId, reason = '' } = fields as { deviceId: string; reason?: string }
    lines.push(`${message}|${deviceId}|${reason}`)
  }
  const log = { ...silentLogger, info: note, error: note }
  const table = createDeviceTable({ resourceName: 'example.com/dongle', keepMissingMs, clock, log })
  let changes = 0
  table.subscribe(() => changes++)
  const shown = (): readonly string[] => (table.list() ?? []).map(({ id, health }) => `${id} ${health}`)
  return { clock, lines, table, shown, changes: () => changes }
}

describe('createDeviceTable', () => {
  test('returns undefined before the first inventory, and an empty list after an empty one', () => {
    const { table, changes } = setUp()
    expect(table.list()).toBeUndefined()
    table.update([])
    expect(table.list()).toEqual([])
    expect(changes()).toBe(1)
  })

  test('sorts by id, and does not notify when nothing changed', () => {
    const { table, shown, changes } = setUp()
    table.update([device('b'), device('a')])
    table.update([device('a'), device('b')])
    expect(shown()).toEqual(['a Healthy', 'b Healthy'])
    expect(changes()).toBe(1)
  })

  test('logs a change of health with its reason', () => {
    const { table, lines } = setUp()
    table.update([device('a')])
    table.update([device('a', 'Unhealthy', 'too hot')])
    expect(lines).toEqual(['Device health changed|a|too hot'])
    expect(table.get('a')?.health).toBe('Unhealthy')
  })

  test.for([
    { it: 'an empty id', devices: [device('')], why: 'its id is empty' },
    { it: 'a long id', devices: [device('x'.repeat(64))], why: 'its id is longer than 63 characters' },
    {
      it: 'a second device with the same id',
      devices: [device('a'), device('a')],
      why: 'another device has the same id',
    },
  ])('ignores $it and logs the reason', ({ devices, why }) => {
    const { table, lines } = setUp()
    table.update(devices)
    expect(table.list()).toHaveLength(devices.length - 1)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(why)
  })

  test('removes a device that disappeared at once by default', () => {
    const { table, shown } = setUp()
    table.update([device('a'), device('b')])
    table.update([device('b')])
    expect(shown()).toEqual(['b Healthy'])
    expect(table.get('a')).toBeUndefined()
  })

  test('keeps a device that disappeared as unhealthy for keepMissingMs', () => {
    const { clock, table, shown } = setUp(1000)
    table.update([device('a')])
    table.update([])
    expect(shown()).toEqual(['a Unhealthy'])
    clock.advance(999)
    expect(table.get('a')?.reason).toBe('it disappeared')
    clock.advance(1)
    expect(shown()).toEqual([])
  })

  test('restores a device that reappears', () => {
    const { clock, table, shown } = setUp(1000)
    table.update([device('a')])
    table.update([])
    table.update([device('a')])
    clock.advance(5000)
    expect(shown()).toEqual(['a Healthy'])
  })

  test('does not notify an ended subscription', () => {
    const { table } = setUp()
    let heard = 0
    table.subscribe(() => heard++)()
    table.update([device('a')])
    expect(heard).toBe(0)
  })
})

test('drops devices beyond the message limit and logs an error', () => {
  const { table, lines } = setUp()
  table.update(Array.from({ length: 30_001 }, (_, index) => device(`d${index}`)))
  expect(table.list()).toHaveLength(30_000)
  expect(lines[0]).toContain('Too many devices for one message')
})

test('lists a device that two resources offer as unhealthy in both, until one no longer has it', () => {
  const deviceIds = createDeviceIds()
  const clock = createTestClock()
  const tableOf = (resourceName: string) =>
    createDeviceTable({ resourceName, keepMissingMs: 0, deviceIds, clock, log: silentLogger })
  const [one, other] = [tableOf('e.x/one'), tableOf('e.x/other')]
  one.update([device('a'), device('b')])
  other.update([device('b'), device('c')])
  expect(one.list()).toMatchObject([{ health: 'Healthy' }, { reason: 'e.x/other offers the same id' }])
  expect(other.list()).toMatchObject([{ reason: 'e.x/one offers the same id' }, { health: 'Healthy' }])
  expect([one.get('b')?.health, other.get('b')?.health]).toEqual(['Unhealthy', 'Unhealthy'])
  one.update([device('a')])
  expect(other.get('b')).toEqual(device('b'))
})

test('escapes the reason of a device and an invalid id', () => {
  const { table, lines } = setUp()
  table.update([device('a', 'Unhealthy', 'no \u001B[2J\n'), device('b'.repeat(70) + '\u009B')])
  table.failAllocation(['a'], 'no \u001B')
  expect(table.get('a')?.reason).toBe(String.raw`no \u001b[2J\n`)
  expect(lines.join('')).not.toMatch(/\p{Cc}/u)
  table.update([device('a')])
  table.failAllocation(['a'], 'no \u001B')
  expect(table.get('a')?.reason).toBe(String.raw`no \u001b`)
})

test('reads only the devices that changed, and counts by health', () => {
  const { table } = setUp()
  let reads = 0
  const counted = (id: string, health: Device['health']): Device => ({
    id,
    get health() {
      reads++
      return health
    },
  })
  const devices = Array.from({ length: 3000 }, (_, i) => counted(`d${i}`, 'Healthy'))
  table.update(devices)
  reads = 0
  table.update([...devices])
  table.setProbeResults(new Map())
  expect(reads).toBe(0)
  table.update(devices.with(7, counted('d7', 'Unhealthy')))
  table.setProbeResults(new Map([['d8', { health: 'Unhealthy', reason: 'no pulse' }]]))
  expect(reads).toBeLessThan(50)
  expect(table.counts()).toMatchObject({ healthy: 2998, unhealthy: 2 })
})

test('lists a removed device that two resources offered as healthy in the other one', () => {
  const deviceIds = createDeviceIds()
  const tableOf = (resourceName: string, keepMissingMs: number) => {
    const clock = createTestClock()
    const table = createDeviceTable({ resourceName, keepMissingMs, deviceIds, clock, log: silentLogger })
    table.update([device('a')])
    return { table, clock }
  }
  const one = tableOf('e.x/one', 1000)
  const other = tableOf('e.x/other', 0)
  one.table.update([])
  expect(other.table.get('a')?.health).toBe('Unhealthy')
  one.clock.advance(1000)
  expect(other.table.get('a')?.health).toBe('Healthy')
  expect(one.table.list()).toEqual([])
})

test('offers no device after a withdrawal, and the same devices when it ends', () => {
  const { table, changes } = setUp()
  table.withdraw(true)
  expect(table.offered()).toBeUndefined()
  table.update([device('a')])
  expect([table.offered(), table.list(), table.get('a')]).toEqual([[], [device('a')], device('a')])
  table.withdraw(false)
  table.withdraw(false)
  expect(table.offered()).toEqual([device('a')])
  expect(changes()).toBe(2)
})

test('counts devices that are not healthy by cause, and lists those that a probe removed apart', () => {
  const { table, shown } = setUp()
  table.update([device('a'), device('b'), device('c', 'Unhealthy', 'broken'), device('d')])
  table.setProbeResults(
    new Map([
      ['a', { health: 'Unhealthy', reason: 'too hot', cause: 'sysfs' }],
      ['b', { health: 'Unhealthy', reason: 'gone', cause: 'exists', isRemoved: true }],
    ]),
  )
  expect(shown()).toEqual(['a Unhealthy', 'c Unhealthy', 'd Healthy'])
  expect(table.removed()).toMatchObject([{ id: 'b', reason: 'gone' }])
  expect(Object.fromEntries(table.counts().byCause)).toEqual({ sysfs: 1, exists: 1, source: 1 })
  expect(['a', 'b', 'c', 'd'].map((id) => table.causeOf(id))).toEqual(['sysfs', 'exists', 'source', undefined])
  table.setProbeResults(new Map(['a', 'b'].map((id) => [id, { health: 'Healthy' }])))
  expect(shown()).toEqual(['a Healthy', 'b Healthy', 'c Unhealthy', 'd Healthy'])
  expect(Object.fromEntries(table.counts().byCause)).toEqual({ sysfs: 0, exists: 0, source: 1 })
})

test('forgets the findings of earlier probes at the next update after a new start, and frees its ids when it closes', () => {
  const deviceIds = createDeviceIds()
  const options = { keepMissingMs: 0, deviceIds, clock: createTestClock(), log: silentLogger }
  const table = createDeviceTable({ resourceName: 'e.x/one', ...options })
  const other = createDeviceTable({ resourceName: 'e.x/other', ...options })
  const devices = [device('a'), device('b')]
  table.update(devices)
  table.setProbeResults(new Map([['a', { health: 'Unhealthy', reason: 'hot' }]]))
  table.startOver(0)
  expect(table.get('a')?.reason).toBe('hot')
  table.update(devices)
  expect(table.get('a')).toEqual(device('a'))
  other.update([device('a')])
  expect(other.get('a')?.health).toBe('Unhealthy')
  table.close()
  expect(other.get('a')?.health).toBe('Healthy')
})

describe('a device that a container holds', () => {
  test('stays listed as unhealthy when it disappears, until no container holds it', () => {
    const { clock, table, shown } = setUp()
    table.update([device('a'), device('b')])
    table.hold(['a'], clock.monotonic())
    table.update([])
    expect(shown()).toEqual(['a Unhealthy'])
    expect([table.get('a')?.reason, table.causeOf('a')]).toEqual(['it disappeared', 'missing'])
    table.hold(['a'], clock.monotonic())
    expect(shown()).toEqual(['a Unhealthy'])
    table.hold([], clock.monotonic())
    expect(shown()).toEqual([])
  })

  test('stays listed after keepMissingMs, and leaves when both have ended', () => {
    const { clock, table, shown } = setUp(1_000)
    table.update([device('a'), device('b')])
    table.hold(['a', 'b'], clock.monotonic())
    table.update([])
    table.hold(['a'], clock.monotonic())
    expect(shown()).toEqual(['a Unhealthy', 'b Unhealthy'])
    clock.advance(1_000)
    expect(shown()).toEqual(['a Unhealthy'])
    table.hold([], clock.monotonic())
    expect(shown()).toEqual([])
  })

  test('becomes unhealthy when a probe would remove it, and leaves when its container ends', () => {
    const { clock, table, shown } = setUp()
    table.update([device('a')])
    table.hold(['a'], clock.monotonic())
    table.setProbeResults(new Map([['a', { health: 'Unhealthy', reason: 'gone', isRemoved: true }]]))
    expect(shown()).toEqual(['a Unhealthy'])
    table.hold([], clock.monotonic())
    expect(shown()).toEqual([])
  })

  test('is healthy again when it returns', () => {
    const { clock, table, shown } = setUp()
    table.update([device('a')])
    table.hold(['a'], clock.monotonic())
    table.update([])
    table.update([device('a')])
    expect(shown()).toEqual(['a Healthy'])
    table.hold([], clock.monotonic())
    expect(shown()).toEqual(['a Healthy'])
  })

  test('is listed when it disappeared before this process started, and no other resource gives it away', () => {
    const clock = createTestClock()
    const options = { keepMissingMs: 0, deviceIds: createDeviceIds(), clock, log: silentLogger }
    const table = createDeviceTable({ resourceName: 'e.x/one', ...options })
    const other = createDeviceTable({ resourceName: 'e.x/other', ...options })
    table.hold(['a'], clock.monotonic())
    expect(table.list()).toBeUndefined()
    table.update([])
    expect(table.list()).toEqual([{ id: 'a', health: 'Unhealthy', reason: 'it is held and was not found' }])
    other.update([device('a')])
    expect(other.get('a')?.reason).toBe('e.x/one offers the same id')
    table.hold([], clock.monotonic())
    expect([table.list(), other.get('a')]).toEqual([[], device('a')])
  })

  test('stays listed as unhealthy until it returns when nothing tells which containers hold devices', () => {
    const { clock, table, shown } = setUp()
    table.update([device('a'), device('b')])
    table.grant(['a'])
    table.update([])
    clock.advance(86_400_000)
    expect(shown()).toEqual(['a Unhealthy'])
    table.update([device('a')])
    expect(shown()).toEqual(['a Healthy'])
    table.setProbeResults(new Map([['a', { health: 'Unhealthy', reason: 'gone', isRemoved: true }]]))
    expect(shown()).toEqual(['a Unhealthy'])
  })

  test('leaves with the first answer of the kubelet that does not list it', () => {
    const { clock, table, shown } = setUp()
    table.update([device('a')])
    table.grant(['a'])
    table.update([])
    clock.advance(60_000)
    table.hold([], clock.monotonic())
    expect(shown()).toEqual([])
  })

  test('counts as held from its allocation on, until the kubelet had five seconds to list it', () => {
    const { clock, table, shown } = setUp()
    table.update([device('a'), device('b')])
    table.grant(['a'])
    clock.advance(5_000)
    table.hold([], clock.monotonic())
    table.grant(['b'])
    table.update([])
    expect(shown()).toEqual(['b Unhealthy'])
    clock.advance(4_999)
    table.hold([], clock.monotonic())
    expect(shown()).toEqual(['b Unhealthy'])
    clock.advance(1)
    table.hold([], clock.monotonic())
    expect(shown()).toEqual([])
  })
})
