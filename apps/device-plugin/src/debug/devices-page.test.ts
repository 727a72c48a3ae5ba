import { createTestClock } from '@berth/clock/testing'
import { silentLogger, type Device } from '@berth/types'
import { expect, test } from 'vitest'
import { createDeviceTable } from '../devices/device-table.ts'
import { describeDevices } from './describe-devices.ts'
import { devicesPage } from './devices-page.ts'

function pageOf(devices: readonly Device[]) {
  const clock = createTestClock()
  const table = createDeviceTable({ resourceName: 'e.x/d', keepMissingMs: 0, clock, log: silentLogger })
  table.update(devices)
  table.setProbeResults(
    new Map([
      ['b', { health: 'Unhealthy', reason: 'too hot', cause: 'sysfs' }],
      ['c', { health: 'Unhealthy', reason: 'gone', cause: 'exists', isRemoved: true }],
    ]),
  )
  const page = devicesPage(() => [
    { resourceName: 'e.x/d', devices: () => describeDevices(table), problem: () => 'no stream' },
  ])
  return async (query: string): Promise<unknown> => {
    const text = await page.text(new URLSearchParams(query))
    return text === undefined ? undefined : JSON.parse(text)
  }
}
const device = (id: string): Device => ({ id, health: 'Healthy', paths: [`/dev/${id}`, `/dev/${id}`], numaNodes: [1] })

test('shows each device with cause and reason, also one that a probe removed', async () => {
  const show = pageOf(['a', 'b', 'c'].map(device))
  expect(await show('')).toEqual({
    resources: [
      {
        name: 'e.x/d',
        problem: 'no stream',
        total: 3,
        devices: [
          { id: 'a', health: 'Healthy', paths: ['/dev/a'], numaNodes: [1] },
          { id: 'b', health: 'Unhealthy', cause: 'sysfs', reason: 'too hot', paths: ['/dev/b'], numaNodes: [1] },
          {
            id: 'c',
            health: 'Unhealthy',
            cause: 'exists',
            reason: 'gone',
            isRemoved: true,
            paths: ['/dev/c'],
            numaNodes: [1],
          },
        ],
      },
    ],
  })
})

test('names the containers that hold a device', async () => {
  const holders = (_resource: string, id: string) => (id === 'a' ? ['default/p/main'] : [])
  const resource = { resourceName: 'e.x/d', devices: () => [device('a'), device('b')], problem: () => undefined }
  const text = await devicesPage(() => [resource], holders).text(new URLSearchParams())
  expect(JSON.parse(text ?? '')).toMatchObject({
    resources: [{ devices: [{ id: 'a', heldBy: ['default/p/main'] }, { id: 'b' }] }],
  })
  expect(text?.match(/heldBy/gu)).toHaveLength(1)
})

test('selects a resource and a health, and shows at most 500 devices', async () => {
  const show = pageOf(Array.from({ length: 600 }, (_, i) => device(`d${i}`)).concat(device('b')))
  expect(await show('resource=e.x/other')).toBeUndefined()
  expect(await show('resource=e.x/d&health=Unhealthy')).toMatchObject({ resources: [{ devices: [{ id: 'b' }] }] })
  const { resources } = (await show('')) as { readonly resources: readonly { total: number; devices: unknown[] }[] }
  expect([resources[0]?.total, resources[0]?.devices.length]).toEqual([601, 500])
})
