import { systemClock } from '@berth/clock'
import type { DeviceSource } from '@berth/plugin-api'
import { silentLogger, type Device } from '@berth/types'
import { expect, test } from 'vitest'
import type { ResourceEntry } from '../config.ts'
import { probeConfig, type ProbeConfig } from '../health/probe-config.ts'
import { offerOnce } from './offer-once.ts'

function resource(
  name: string,
  devices: readonly Device[],
  health: readonly ProbeConfig[] = [],
  more: Partial<DeviceSource> = {},
) {
  const entry: ResourceEntry = {
    name,
    source: 'test',
    args: undefined,
    cdi: false,
    probeSeconds: 10,
    health: [...health],
    exclude: [],
    replicas: 1,
    allocationPolicy: 'pack',
    keepMissingSeconds: 0,
  }
  const source: DeviceSource = {
    async *discover() {
      yield devices
    },
    allocate: () => ({}),
    ...more,
  }
  return { entry, source, leftOut: () => [] }
}
const device = (id: string, path = '/dev/null'): Device => ({ id, health: 'Healthy', paths: [path] })
const offer = (...resources: readonly ReturnType<typeof resource>[]) =>
  offerOnce(resources, { clock: systemClock(), log: silentLogger })

test('runs the probes once, and says which devices they remove and why', async () => {
  const [exists, removing] = [
    probeConfig.parse({ type: 'exists' }),
    probeConfig.parse({ type: 'sysfs', path: '{sysfs}/dev', equals: '1:3', onFailure: 'remove' }),
  ]
  const devices = [device('a'), device('b', '/dev/zero'), device('c', '/none')]
  const [found] = await offer(resource('e.x/d', devices, [exists, removing]))
  expect(found?.devices).toMatchObject([{ id: 'a', health: 'Healthy' }])
  expect(found?.leftOut).toEqual([
    { id: 'b', reason: expect.stringMatching(/^\/sys\/dev\/char\/1:5\/dev is "1:5", expected "1:3"$/) },
    { id: 'c', reason: '/none cannot be found (ENOENT)' },
  ])
  const [only] = await offer(resource('e.x/d', devices, [exists]))
  expect(only?.devices.map(({ reason }) => reason)).toEqual([undefined, undefined, '/none is missing'])
})

test('runs the probe of the source', async () => {
  const probe = async ({ id }: Device) =>
    id === 'a' ? ({ health: 'Healthy' } as const) : ({ health: 'Unhealthy', reason: 'no pulse' } as const)
  const [found] = await offer(resource('e.x/d', [device('a'), device('b')], [], { probe }))
  expect(found?.devices.map(({ health, reason }) => reason ?? health)).toEqual(['Healthy', 'no pulse'])
})

test('says which ids two resources offer, and which devices have ids that the kubelet would refuse', async () => {
  const [one, other] = await offer(
    resource('e.x/one', [device('a'), device('x'.repeat(64)), device('a')]),
    resource('e.x/other', [device('a'), device('b')]),
  )
  expect(one?.devices).toMatchObject([{ id: 'a', health: 'Unhealthy', reason: 'e.x/other offers the same id' }])
  expect(one?.leftOut).toEqual([
    { id: 'a', reason: 'another device has the same id' },
    { id: 'x'.repeat(64), reason: 'its id is longer than 63 characters' },
  ])
  expect(other?.devices.map(({ health }) => health)).toEqual(['Unhealthy', 'Healthy'])
})
