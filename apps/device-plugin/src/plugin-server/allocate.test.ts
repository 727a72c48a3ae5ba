import { createTestClock } from '@berth/clock/testing'
import { silentLogger, type Allocation, type Device } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { allocate } from './allocate.ts'
import { containerConfig } from '../container/container-config.ts'
import { createDeviceTable } from '../devices/device-table.ts'

const NAME = 'example.com/usb-dongle'
const devices: Device[] = [
  { id: 'a', health: 'Healthy' },
  { id: 'b', health: 'Healthy' },
  { id: 'c', health: 'Unhealthy' },
]

function setUp(answer: () => Allocation | Promise<Allocation> = () => ({})) {
  const clock = createTestClock()
  const table = createDeviceTable({ resourceName: NAME, keepMissingMs: 0, clock, log: silentLogger })
  table.update(devices)
  const source = { allocate: answer }
  return { clock, table, ask: (ids: readonly string[]) => allocate(NAME, ids, { table, source, clock }) }
}

const ask = (ids: readonly string[], answer?: () => Allocation | Promise<Allocation>) => setUp(answer).ask(ids)

describe('allocate', () => {
  test('returns the same response for the same devices in any order and with duplicates', async () => {
    const first = await ask(['b', 'a', 'b'])
    expect(first.envs).toEqual({ BERTH_DEVICES_EXAMPLE_COM_USB_DONGLE: 'a,b' })
    expect(await ask(['a', 'b'])).toEqual(first)
  })

  test('passes on the complete allocation of the source', async () => {
    const allocation: Allocation = {
      env: { OWN: '1' },
      mounts: [{ hostPath: '/h', containerPath: '/m', readOnly: true }],
      deviceNodes: [{ hostPath: '/dev/h', containerPath: '/dev/c', permissions: 'rw' }],
      annotations: { 'example.com/note': 'x' },
      cdiDevices: ['example.com/dongle=a'],
    }
    expect(await ask(['a'], () => allocation)).toEqual({
      envs: {
        BERTH_DEVICES_EXAMPLE_COM_USB_DONGLE: 'a',
        BERTH_PATHS_EXAMPLE_COM_USB_DONGLE: '/dev/c,/m',
        OWN: '1',
      },
      mounts: allocation.mounts,
      devices: allocation.deviceNodes,
      annotations: allocation.annotations,
      cdiDevices: [{ name: 'example.com/dongle=a' }],
    })
  })

  test.for([
    {
      it: 'unknown',
      ids: ['a', 'x'],
      code: 'BERTH_DEVICE_PLUGIN_UNKNOWN_DEVICE',
      text: 'x: the device does not exist',
    },
    { it: 'unhealthy', ids: ['c'], code: 'BERTH_DEVICE_PLUGIN_UNHEALTHY_DEVICE', text: 'its source gives no reason' },
  ])('refuses an $it device', async ({ ids, code, text }) => {
    await expect(ask(ids)).rejects.toMatchObject({ code, message: expect.stringContaining(text) })
  })

  test('adds what the configuration gives to every container, with ids and paths filled in', async () => {
    const { table, clock } = setUp()
    const source = {
      allocate: (ids: readonly string[]): Allocation => ({
        env: { MODE: 'source', OWN: '1' },
        deviceNodes: ids.map((id) => ({ hostPath: `/dev/${id}`, containerPath: `/dev/${id}`, permissions: 'rw' })),
        cdiDevices: ['vendor.com/card=0'],
      }),
    }
    const container = containerConfig.parse({
      env: { MODE: 'config', DONGLES: '{ids} at {paths}' },
      annotations: { 'example.com/dongles': '{ids}' },
      mounts: [{ hostPath: '/opt/dongle' }, { hostPath: '/run/a', containerPath: '/run/b', readOnly: false }],
      deviceNodes: [{ hostPath: '/dev/control' }],
      cdiDevices: ['vendor.com/card=0', 'vendor.com/driver=all'],
    })
    expect(await allocate(NAME, ['b', 'a'], { table, source, container, clock })).toEqual({
      envs: {
        BERTH_DEVICES_EXAMPLE_COM_USB_DONGLE: 'a,b',
        BERTH_PATHS_EXAMPLE_COM_USB_DONGLE: '/dev/a,/dev/b',
        MODE: 'config',
        OWN: '1',
        DONGLES: 'a,b at /dev/a,/dev/b',
      },
      annotations: { 'example.com/dongles': 'a,b' },
      mounts: [
        { hostPath: '/opt/dongle', containerPath: '/opt/dongle', readOnly: true },
        { hostPath: '/run/a', containerPath: '/run/b', readOnly: false },
      ],
      devices: [
        { hostPath: '/dev/a', containerPath: '/dev/a', permissions: 'rw' },
        { hostPath: '/dev/b', containerPath: '/dev/b', permissions: 'rw' },
        { hostPath: '/dev/control', containerPath: '/dev/control', permissions: 'rw' },
      ],
      cdiDevices: [{ name: 'vendor.com/card=0' }, { name: 'vendor.com/driver=all' }],
    })
  })

  test('refuses a configured path that a device has already', async () => {
    const { table, clock } = setUp()
    const source = {
      allocate: (): Allocation => ({ mounts: [{ hostPath: '/dev/a', containerPath: '/dongle', readOnly: true }] }),
    }
    const container = containerConfig.parse({ mounts: [{ hostPath: '/opt/a', containerPath: '/dongle' }] })
    await expect(allocate(NAME, ['a'], { table, source, container, clock })).rejects.toThrow(
      '/dev/a and /opt/a have the same container path /dongle',
    )
  })

  test.for([
    { it: 'throws', answer: () => Promise.reject(new Error('no bus')), why: 'no bus' },
    {
      it: 'names a file with a terminal sequence',
      answer: () => Promise.reject(new Error('no /dev/a\u001B[2J')),
      why: String.raw`no /dev/a\u001b[2J`,
    },
    {
      it: 'throws a value that is not an Error',
      answer: () => {
        // oxlint-disable-next-line no-throw-literal, typescript/only-throw-error
        throw 'a word'
      },
      why: 'a word',
    },
  ])('reports the error of a source that $it', async ({ answer, why }) => {
    await expect(ask(['a'], answer)).rejects.toMatchObject({
      code: 'BERTH_DEVICE_PLUGIN_ALLOCATE',
      message: `allocate ${NAME} a: ${why}`,
    })
  })

  test('refuses two host paths with one container path', async () => {
    const mounts = ['/x', '/y'].map((hostPath) => ({ hostPath, containerPath: '/dev/port', readOnly: true }))
    await expect(ask(['a', 'b'], () => ({ mounts }))).rejects.toMatchObject({
      code: 'BERTH_DEVICE_PLUGIN_ALLOCATE',
      message: `allocate ${NAME} a, b: /x and /y have the same container path /dev/port`,
    })
  })

  test('refuses after 10 s of a source that does not answer, and lists only these devices as unhealthy', async () => {
    const { ask: request, clock, table } = setUp(() => new Promise(() => {}))
    const answer = request(['a'])
    clock.advance(10_000)
    await expect(answer).rejects.toMatchObject({
      code: 'BERTH_DEVICE_PLUGIN_ALLOCATE',
      message: `allocate ${NAME} a: no answer within 10 s`,
    })
    const reason = 'allocation failed: no answer within 10 s'
    expect(table.list()).toMatchObject([{ id: 'a', health: 'Unhealthy', reason }, { id: 'b', health: 'Healthy' }, {}])
    await expect(request(['a'])).rejects.toMatchObject({ code: 'BERTH_DEVICE_PLUGIN_UNHEALTHY_DEVICE' })
  })
})
