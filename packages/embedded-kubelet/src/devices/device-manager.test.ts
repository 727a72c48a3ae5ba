import { fakeClock, seededRandom } from '@berth/clock/testing'
import { ContainerAllocateResponse, type Device } from '@berth/kubelet-api'
import { silentLogger, type Container, type Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import type { DevicePluginEndpoint } from './device-plugin-endpoint.ts'
import { createDeviceManager, type CheckpointStore, type DeviceManager } from './device-manager.ts'

const NAME = 'example.com/dongle'
const asks = (name: string, count: number, extra: Partial<Container> = {}): Container => ({
  name,
  resources: { limits: { [NAME]: count, cpu: '500m' } },
  ...extra,
})
const podOf = (uid: string, containers: Container[], initContainers: Container[] = []): Pod => ({
  metadata: { name: uid, namespace: 'default', uid },
  spec: { containers, initContainers },
})
const dongles = (count: number, health = 'Healthy', numa?: number): Device[] =>
  Array.from({ length: count }, (_, index) => ({
    ID: `d${index}`,
    health,
    topology: numa === undefined ? undefined : { nodes: [{ ID: numa }] },
  }))
const memoryCheckpoint = (): CheckpointStore & { text?: string } => {
  const store: CheckpointStore & { text?: string } = {
    read: () => store.text,
    write: (text) => {
      store.text = text
    },
  }
  return store
}

function endpointOf(overrides: Partial<DevicePluginEndpoint> = {}): DevicePluginEndpoint & { calls: string[] } {
  const calls: string[] = []
  return {
    calls,
    async allocate(ids) {
      calls.push(`allocate ${[...ids].sort().join(',')}`)
      return ContainerAllocateResponse.create({ envs: { DONGLES: [...ids].sort().join(',') } })
    },
    async getPreferredAllocation() {
      return []
    },
    async preStartContainer(ids) {
      calls.push(`preStart ${[...ids].sort().join(',')}`)
    },
    ...overrides,
  }
}

function setUp(
  options: {
    devices?: Device[]
    endpoint?: DevicePluginEndpoint
    checkpoint?: CheckpointStore
    preferred?: boolean
    preStart?: boolean
  } = {},
): DeviceManager {
  const random = seededRandom(1)
  const { checkpoint } = options
  const manager = createDeviceManager({
    clock: fakeClock({ turns: 20 }),
    random,
    log: silentLogger,
    ...(checkpoint !== undefined && { checkpoint }),
  })
  manager
    .register(NAME, {
      endpoint: options.endpoint ?? endpointOf(),
      options: {
        preStartRequired: options.preStart ?? false,
        getPreferredAllocationAvailable: options.preferred ?? false,
      },
    })
    .setDevices(options.devices ?? dongles(4))
  return manager
}

const held = (manager: DeviceManager, uid: string): Record<string, readonly string[]> =>
  Object.fromEntries(manager.allocations(uid).map(({ container, deviceIds }) => [container, deviceIds]))

describe('createDeviceManager', () => {
  test('allocates different devices to each container and keeps the response', async () => {
    const endpoint = endpointOf()
    const manager = setUp({ endpoint })
    await manager.allocate(podOf('p1', [asks('a', 2), asks('b', 1), { name: 'c' }]), new Set())
    const { a = [], b = [] } = held(manager, 'p1')
    expect(new Set([...a, ...b]).size).toBe(3)
    expect(endpoint.calls).toEqual([`allocate ${a.join(',')}`, `allocate ${b.join(',')}`])
    expect(manager.runOptions('p1', 'a').env.get('DONGLES')).toBe(a.join(','))
    expect(manager.runOptions('p1', 'c').env.size).toBe(0)
  })

  test('does not allocate a device of another pod until that pod is inactive', async () => {
    const manager = setUp({ devices: dongles(1) })
    await manager.allocate(podOf('p1', [asks('a', 1)]), new Set())
    await expect(manager.allocate(podOf('p2', [asks('a', 1)]), new Set(['p1']))).rejects.toThrow(
      'requested number of devices unavailable for example.com/dongle. Requested: 1, Available: 0',
    )
    await manager.allocate(podOf('p2', [asks('a', 1)]), new Set())
    expect(held(manager, 'p2')).toEqual({ a: ['d0'] })
    expect(manager.hasPod('p1')).toBe(false)
  })

  test('reuses the devices of plain init containers but not those of sidecars', async () => {
    const manager = setUp({ devices: dongles(3) })
    const sidecar = asks('side', 1, { restartPolicy: 'Always' })
    await manager.allocate(podOf('p1', [asks('main', 2)], [asks('init', 2), sidecar]), new Set())
    const { init = [], side = [], main = [] } = held(manager, 'p1')
    expect([...new Set([...side, ...main])].sort()).toEqual(['d0', 'd1', 'd2'])
    expect(init.filter((id) => side.includes(id) || main.includes(id))).toHaveLength(2)
  })

  test.for([
    {
      it: 'ignores a resource that no plugin ever registered',
      limits: { 'example.com/other': 1 },
      error: '',
    },
    { it: 'fails when too few devices are free', limits: { [NAME]: 5 }, error: 'Requested: 5, Available: 4' },
    { it: 'allocates nothing for a zero limit', limits: { [NAME]: 0 }, error: '' },
  ])('limits: $it', async ({ limits, error }) => {
    const said = await setUp()
      .allocate(podOf('p1', [{ name: 'a', resources: { limits } }]), new Set())
      .then(() => '', String)
    expect(said).toContain(error)
    expect(said === '').toBe(error === '')
  })

  test('does not allocate unhealthy devices', async () => {
    const manager = setUp({ devices: dongles(2, 'Unhealthy') })
    await expect(manager.allocate(podOf('p1', [asks('a', 1)]), new Set())).rejects.toThrow(
      'no healthy devices present; cannot allocate unhealthy devices example.com/dongle',
    )
  })

  test('keeps the error message of a plugin, and holds nothing', async () => {
    const endpoint = endpointOf({ allocate: () => Promise.reject(new Error('dongle is on fire')) })
    const manager = setUp({ endpoint })
    await expect(manager.allocate(podOf('p1', [asks('a', 1)]), new Set())).rejects.toMatchObject({
      message: 'rpc error: dongle is on fire',
      code: 'BERTH_SIMULATOR_DEVICE_ALLOCATION',
    })
    expect(manager.hasPod('p1')).toBe(false)
  })

  test.for([
    { it: 'is followed', advice: ['d3', 'd1'], chosen: ['d1', 'd3'] },
    {
      it: 'is reduced to available ids and filled up',
      advice: ['d2', 'ghost'],
      chosen: [expect.anything(), expect.anything()],
    },
    { it: 'may be empty', advice: [], chosen: [expect.anything(), expect.anything()] },
  ])('preferred allocation $it', async ({ advice, chosen }) => {
    const endpoint = endpointOf({ getPreferredAllocation: async () => advice })
    const manager = setUp({ endpoint, preferred: true })
    await manager.allocate(podOf('p1', [asks('a', 2)]), new Set())
    const { a = [] } = held(manager, 'p1')
    expect(a).toEqual(chosen)
    expect(a).not.toContain('ghost')
    expect(advice.filter((id) => id !== 'ghost').every((id) => a.includes(id))).toBe(true)
  })

  test('fails the admission when the preferred allocation fails', async () => {
    const endpoint = endpointOf({ getPreferredAllocation: () => Promise.reject(new Error('no idea')) })
    const manager = setUp({ endpoint, preferred: true })
    await expect(manager.allocate(podOf('p1', [asks('a', 1)]), new Set())).rejects.toThrow('no idea')
  })

  test.for([
    { it: 'is called if the plugin requires it', preStart: true, calls: 2 },
    { it: 'is not called otherwise', preStart: false, calls: 1 },
  ])('PreStartContainer $it', async ({ preStart, calls }) => {
    const endpoint = endpointOf()
    const manager = setUp({ endpoint, preStart })
    await manager.allocate(podOf('p1', [asks('a', 1)]), new Set())
    await manager.preStart('p1', 'a')
    expect(endpoint.calls).toHaveLength(calls)
  })

  test('restores pods and resources after a restart, and allocates nothing until the plugin returns', async () => {
    const checkpoint = memoryCheckpoint()
    const pod = podOf('p1', [asks('a', 2)])
    const before = setUp({ checkpoint })
    await before.allocate(pod, new Set())

    const log = silentLogger
    const after = createDeviceManager({ clock: fakeClock({ turns: 20 }), random: () => 0.5, log, checkpoint })
    expect(held(after, 'p1')).toEqual(held(before, 'p1'))
    expect(after.runOptions('p1', 'a')).toEqual(before.runOptions('p1', 'a'))
    expect(after.counts().capacity.get(NAME)).toBe(0)
    await expect(after.allocate(pod, new Set())).rejects.toThrow('no healthy devices present')

    const live = {
      endpoint: endpointOf(),
      options: { preStartRequired: false, getPreferredAllocationAvailable: false },
    }
    after.register(NAME, live).setDevices(dongles(4))
    await after.allocate(pod, new Set())
    expect(live.endpoint.calls).toEqual([])
    after.register(NAME, live).setDevices(dongles(1).map((device) => ({ ...device, ID: 'other' })))
    await expect(after.allocate(pod, new Set())).rejects.toThrow('previously allocated devices are no longer healthy')
  })

  test.for(['{', '{"Data":{"PodDeviceEntries":[],"RegisteredDevices":{}},"Checksum":1}'])(
    'a corrupt checkpoint is ignored: %s',
    (text) => {
      const errors: string[] = []
      const log = { ...silentLogger, error: (_fields: unknown, message: string) => void errors.push(message) }
      const checkpoint = { read: () => text, write: () => {} }
      const manager = createDeviceManager({ clock: fakeClock({ turns: 20 }), random: () => 0, log, checkpoint })
      expect(manager.counts().capacity.size).toBe(0)
      expect(errors).toEqual(['Device checkpoint is corrupt, starting without it'])
    },
  )

  test('raises allocatable to what pods already hold', async () => {
    const manager = setUp()
    await manager.allocate(podOf('p1', [asks('a', 3)]), new Set())
    expect(
      manager.liftAllocatable(
        new Map([
          [NAME, 0n],
          ['cpu', 8n],
        ]),
      ),
    ).toEqual(
      new Map([
        [NAME, 3n],
        ['cpu', 8n],
      ]),
    )
    expect(manager.liftAllocatable(new Map([[NAME, 4n]]))).toEqual(new Map([[NAME, 4n]]))
  })

  test.for([
    { it: 'Unhealthy', health: 'Unhealthy', shown: 'Unhealthy' },
    { it: 'a value that Kubernetes does not define', health: 'Overheated', shown: 'Unknown' },
  ])('the status of a container shows devices that became $it', async ({ health, shown }) => {
    const manager = setUp({ devices: dongles(1) })
    await manager.allocate(podOf('p1', [asks('a', 1)]), new Set())
    expect(manager.resourceStatuses('p1', 'a')).toEqual([
      { name: NAME, resources: [{ resourceID: 'd0', health: 'Healthy' }] },
    ])
    const options = { preStartRequired: false, getPreferredAllocationAvailable: false }
    manager.register(NAME, { endpoint: endpointOf(), options }).setDevices(dongles(1, health))
    expect(manager.resourceStatuses('p1', 'a')).toEqual([
      { name: NAME, resources: [{ resourceID: 'd0', health: shown }] },
    ])
    expect(manager.allocatableDevices().get(NAME)).toEqual([])
  })
})
