import { fakeClock } from '@berth/clock/testing'
import type { Device } from '@berth/kubelet-api'
import { describe, expect, test } from 'vitest'
import type { DevicePluginEndpoint } from './device-endpoint.ts'
import { createDeviceInventory, type LiveEndpoint } from './device-inventory.ts'

const NAME = 'example.com/dongle'
const devices = (...health: string[]): Device[] =>
  health.map((each, index) => ({ ID: `d${index}`, health: each, topology: undefined }))
const never = (): never => {
  throw new Error('not called')
}
const endpoint: DevicePluginEndpoint = { allocate: never, getPreferredAllocation: never, preStartContainer: never }
const live: LiveEndpoint = {
  endpoint,
  options: { preStartRequired: false, getPreferredAllocationAvailable: false },
}
const counted = (inventory: ReturnType<typeof createDeviceInventory>): readonly unknown[] => {
  const { capacity, allocatable, removed } = inventory.counts()
  return [capacity.get(NAME), allocatable.get(NAME), removed]
}

describe('createDeviceInventory', () => {
  test('a registration without a list counts nothing', () => {
    const inventory = createDeviceInventory({ clock: fakeClock({ turns: 20 }) })
    inventory.register(NAME, live)
    expect(counted(inventory)).toEqual([undefined, undefined, []])
  })

  test('capacity counts every device, allocatable the Healthy ones, any other word is unhealthy', () => {
    const inventory = createDeviceInventory({ clock: fakeClock({ turns: 20 }) })
    inventory.register(NAME, live).listed(devices('Healthy', 'healthy', 'Unhealthy', 'Healthy'))
    expect(counted(inventory)).toEqual([4, 2, []])
  })

  test('a device missing from the next list is gone, an empty list is 0/0', () => {
    const inventory = createDeviceInventory({ clock: fakeClock({ turns: 20 }) })
    const registration = inventory.register(NAME, live)
    registration.listed(devices('Healthy', 'Healthy'))
    registration.listed(devices('Healthy'))
    expect(counted(inventory)).toEqual([1, 1, []])
    registration.listed([])
    expect(counted(inventory)).toEqual([0, 0, []])
  })

  test('the end of the stream keeps capacity for five minutes, then names the resource once as removed', async () => {
    const clock = fakeClock({ turns: 20 })
    const inventory = createDeviceInventory({ clock })
    const registration = inventory.register(NAME, live)
    registration.listed(devices('Healthy', 'Unhealthy'))
    registration.stopped()
    expect(counted(inventory)).toEqual([2, 0, []])
    await clock.advance(300_000)
    expect(counted(inventory)).toEqual([2, 0, []])
    await clock.advance(1)
    expect(counted(inventory)).toEqual([undefined, undefined, [NAME]])
    expect(counted(inventory)).toEqual([undefined, undefined, []])
  })

  test('a new registration within the grace period starts the counts again at its first list', async () => {
    const clock = fakeClock({ turns: 20 })
    const inventory = createDeviceInventory({ clock })
    const old = inventory.register(NAME, live)
    old.listed(devices('Healthy'))
    old.stopped()
    await clock.advance(200_000)
    const next = inventory.register(NAME, live)
    await clock.advance(200_000)
    expect(counted(inventory)).toEqual([1, 0, []])
    next.listed(devices('Healthy'))
    expect(counted(inventory)).toEqual([1, 1, []])
  })

  test.for([
    { it: 'the end of the old stream leaves a newer registration alone', hasStreamRace: false, allocatable: 1 },
    { it: 'kubelets up to 1.36 stop the newer registration with it', hasStreamRace: true, allocatable: 0 },
  ])('$it', ({ hasStreamRace, allocatable }) => {
    const inventory = createDeviceInventory({ clock: fakeClock({ turns: 20 }), hasStreamRace })
    const old = inventory.register(NAME, live)
    old.listed(devices('Healthy'))
    inventory.register(NAME, live).listed(devices('Healthy'))
    old.stopped()
    expect(counted(inventory)).toEqual([1, allocatable, []])
  })

  test('a recalled resource is 0/0 until its plugin returns and removed when it does not', async () => {
    const clock = fakeClock({ turns: 20 })
    const inventory = createDeviceInventory({ clock })
    inventory.recall(NAME)
    expect(counted(inventory)).toEqual([0, 0, []])
    expect(inventory.live(NAME)).toBeUndefined()
    await clock.advance(300_001)
    expect(counted(inventory)).toEqual([undefined, undefined, [NAME]])
  })
})
