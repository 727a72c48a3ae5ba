import type { DeviceSource } from '@berth/plugin-api'
import type { Device } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { preferredAllocation } from '../plugin-server/preferred-allocation/preferred-allocation.ts'
import { offerDevices, type OfferedDevices } from './offer-devices.ts'

const devices: readonly Device[] = [
  { id: 'gpu-a', health: 'Healthy', paths: ['/dev/dri/renderD128'], numaNodes: [1] },
  { id: 'gpu-b', health: 'Unhealthy', reason: 'hot', paths: ['/dev/dri/renderD129'] },
  { id: 'seat', health: 'Healthy' },
]
const nothing = { exclude: [], replicas: 1 }

/** A source whose answers repeat the ids in its calls. */
function scripted(inventories: readonly (readonly Device[])[] = [devices]): DeviceSource {
  return {
    async *discover() {
      yield* inventories
    },
    probe: async ({ id }) => ({ health: 'Unhealthy', reason: `probed ${id}` }),
    allocate: (ids, all) => ({ env: { IDS: ids.join(','), KNOWN: all.map(({ id }) => id).join(',') } }),
    preStart: async (ids) => {
      throw new Error(`prepared ${ids.join(',')}`)
    },
  }
}
async function inventoriesOf({ source }: OfferedDevices): Promise<readonly (readonly Device[])[]> {
  return await Array.fromAsync(source.discover(new AbortController().signal))
}
const shown = (all: readonly Device[] = []) => all.map(({ id }) => id)

test('a configuration that changes nothing leaves the source as it is', () => {
  const source = scripted()
  expect(offerDevices(source, nothing).source).toBe(source)
})

describe('include and exclude', () => {
  test.for([
    {
      it: 'ids',
      config: { include: ['gpu-*'] },
      found: ['gpu-a', 'gpu-b'],
      out: ['seat: no pattern of include matches'],
    },
    {
      it: 'paths',
      config: { include: ['/dev/dri/renderD12?'] },
      found: ['gpu-a', 'gpu-b'],
      out: ['seat: no pattern of include matches'],
    },
    { it: 'exclude', config: { exclude: ['*b'] }, found: ['gpu-a', 'seat'], out: ['gpu-b: exclude has *b'] },
    {
      it: 'both, and exclude wins',
      config: { include: ['gpu-*'], exclude: ['/dev/dri/renderD128'] },
      found: ['gpu-b'],
      out: ['gpu-a: exclude has /dev/dri/renderD128', 'seat: no pattern of include matches'],
    },
  ])('select by $it, and say why a device is left out', async ({ config, found, out }) => {
    const offered = offerDevices(scripted(), { ...nothing, ...config })
    expect((await inventoriesOf(offered)).map(shown)).toEqual([found])
    expect(offered.leftOut().map(({ id, reason }) => `${id}: ${reason}`)).toEqual(out)
  })

  test('two resources share the devices of one source', async () => {
    const [one, other] = [{ include: ['gpu-a'] }, { exclude: ['gpu-a'] }]
    const found = await Promise.all(
      [one, other].map(async (config) => (await inventoriesOf(offerDevices(scripted(), { ...nothing, ...config })))[0]),
    )
    expect(found.map(shown)).toEqual([['gpu-a'], ['gpu-b', 'seat']])
  })
})

describe('replicas', () => {
  const twice = () => offerDevices(scripted(), { ...nothing, exclude: ['seat'], replicas: 2 })

  test('are devices with the health, the NUMA node and the paths of the original', async () => {
    const [inventory] = await inventoriesOf(twice())
    expect(inventory).toMatchObject([
      { id: 'gpu-a::0', health: 'Healthy', numaNodes: [1], paths: ['/dev/dri/renderD128'] },
      { id: 'gpu-a::1', health: 'Healthy' },
      { id: 'gpu-b::0', health: 'Unhealthy', reason: 'hot' },
      { id: 'gpu-b::1', health: 'Unhealthy' },
    ])
  })

  test('ask the source for the original, once', async () => {
    const { source } = twice()
    const [inventory = []] = await Array.fromAsync(source.discover(new AbortController().signal))
    expect(await source.allocate(['gpu-a::1', 'gpu-a::0'], inventory)).toEqual({
      env: { IDS: 'gpu-a', KNOWN: 'gpu-a,gpu-b' },
    })
    expect(await source.probe?.(inventory[3] as Device, new AbortController().signal)).toMatchObject({
      reason: 'probed gpu-b',
    })
    await expect(source.preStart?.(['gpu-b::0'], inventory, new AbortController().signal)).rejects.toThrow(
      'prepared gpu-b',
    )
  })

  test('are known as parts of one device to the allocation policies, also without paths', async () => {
    const seats: readonly Device[] = ['a', 'b'].map((id) => ({ id, health: 'Healthy' }))
    const [inventory = []] = await inventoriesOf(offerDevices(scripted([seats]), { ...nothing, replicas: 3 }))
    const available = shown(inventory)
    const choose = (policy: 'pack' | 'distinct') =>
      preferredAllocation({ available, mustInclude: [], size: 2 }, { inventory, policy })
    expect(await choose('pack')).toEqual(['a::0', 'a::1'])
    expect(await choose('distinct')).toEqual(['a::0', 'b::0'])
  })

  test('of an unchanged device are the same objects in the next inventory', async () => {
    const [first, ...others] = devices as readonly [Device, ...Device[]]
    const [before, after] = await inventoriesOf(
      offerDevices(scripted([devices, [{ ...first, numaNodes: [0] }, ...others]]), { ...nothing, replicas: 2 }),
    )
    expect(after?.map((device, i) => device === before?.[i])).toEqual([false, false, true, true, true, true])
  })

  test('have ids that the kubelet accepts, also of a device with a long id', async () => {
    const long: readonly Device[] = ['x', 'y'].map((end) => ({ id: `${'a'.repeat(62)}${end}`, health: 'Healthy' }))
    const [inventory = []] = await inventoriesOf(offerDevices(scripted([long]), { ...nothing, replicas: 1000 }))
    expect(Math.max(...inventory.map(({ id }) => id.length))).toBe(63)
    expect(new Set(shown(inventory)).size).toBe(2000)
  })
})
