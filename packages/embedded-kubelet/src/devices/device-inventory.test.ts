import { fakeClock } from '@berth/clock/testing'
import type { Device } from '@berth/kubelet-api'
import { describe, expect, test } from 'vitest'
import type { DevicePluginEndpoint } from './device-plugin-endpoint.ts'
import { createDeviceInventory, type ConnectedPlugin } from './device-inventory.ts'

const NAME = 'example.com/dongle'
const devices = (...health: string[]): Device[] =>
  health.map((each, index) => ({ ID: `d${index}`, health: each, topology: undefined }))
const never = (): never => {
  throw new Error('not called')
}
const endpoint: DevicePluginEndpoint = { allocate: never, getPreferredAllocation: never, preStartContainer: never }
const live: ConnectedPlugin = {
  endpoint,
  options: { preStartRequired: false, getPreferredAllocationAvailable: false },
}
const counted = (inventory: ReturnType<typeof createDeviceInventory>): readonly unknown[] => {
  const { capacity, allocatable, removed } = inventory.counts()
  return [capacity.get(NAME), allocatable.get(NAME), removed]
}

describe('createDeviceInventory', () => {
  test('counts nothing before the first list of a registration', () => {
    const inventory = createDeviceInventory({ clock: fakeClock({ turns: 20 }) })
    inventory.register(NAME, live)
    expect(counted(inventory)).toEqual([undefined, undefined, []])
  })

  test('counts all devices in capacity and only Healthy ones in allocatable', () => {
    const inventory = createDeviceInventory({ clock: fakeClock({ turns: 20 }) })
    inventory.register(NAME, live).setDevices(devices('Healthy', 'healthy', 'Unhealthy', 'Healthy'))
    expect(counted(inventory)).toEqual([4, 2, []])
  })

  test('drops devices that the next list omits; an empty list counts 0/0', () => {
    const inventory = createDeviceInventory({ clock: fakeClock({ turns: 20 }) })
    const registration = inventory.register(NAME, live)
    registration.setDevices(devices('Healthy', 'Healthy'))
    registration.setDevices(devices('Healthy'))
    expect(counted(inventory)).toEqual([1, 1, []])
    registration.setDevices([])
    expect(counted(inventory)).toEqual([0, 0, []])
  })

  test('keeps capacity for five minutes after the stream ends, then reports the resource once as removed', async () => {
    const clock = fakeClock({ turns: 20 })
    const inventory = createDeviceInventory({ clock })
    const registration = inventory.register(NAME, live)
    registration.setDevices(devices('Healthy', 'Unhealthy'))
    registration.stop()
    expect(counted(inventory)).toEqual([2, 0, []])
    await clock.advance(300_000)
    expect(counted(inventory)).toEqual([2, 0, []])
    await clock.advance(1)
    expect(counted(inventory)).toEqual([undefined, undefined, [NAME]])
    expect(counted(inventory)).toEqual([undefined, undefined, []])
  })

  test('counts the first list of a new registration within the grace period', async () => {
    const clock = fakeClock({ turns: 20 })
    const inventory = createDeviceInventory({ clock })
    const old = inventory.register(NAME, live)
    old.setDevices(devices('Healthy'))
    old.stop()
    await clock.advance(200_000)
    const next = inventory.register(NAME, live)
    await clock.advance(200_000)
    expect(counted(inventory)).toEqual([1, 0, []])
    next.setDevices(devices('Healthy'))
    expect(counted(inventory)).toEqual([1, 1, []])
  })

  test.for([
    { it: 'keeps a newer registration when the old stream ends', hasStreamRace: false, allocatable: 1 },
    { it: 'stops the newer registration too, as kubelets up to 1.36', hasStreamRace: true, allocatable: 0 },
  ])('$it', ({ hasStreamRace, allocatable }) => {
    const inventory = createDeviceInventory({ clock: fakeClock({ turns: 20 }), hasStreamRace })
    const old = inventory.register(NAME, live)
    old.setDevices(devices('Healthy'))
    inventory.register(NAME, live).setDevices(devices('Healthy'))
    old.stop()
    expect(counted(inventory)).toEqual([1, allocatable, []])
  })

  test('counts a restored resource as 0/0 until its plugin returns, and removes it otherwise', async () => {
    const clock = fakeClock({ turns: 20 })
    const inventory = createDeviceInventory({ clock })
    inventory.restore(NAME)
    expect(counted(inventory)).toEqual([0, 0, []])
    expect(inventory.connectedPlugin(NAME)).toBeUndefined()
    await clock.advance(300_001)
    expect(counted(inventory)).toEqual([undefined, undefined, [NAME]])
  })
})
