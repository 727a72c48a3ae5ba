import { followSource, type HostTree, hostTree } from '@berth/device-discovery/testing'
import { createPluginRegistry, type Device } from '@berth/plugin-api'
import { runDeviceSource } from '@berth/plugin-api/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { samples, sriov, virtioMachine } from '../test/sample.ts'
import { plugin } from './index.ts'

function machine(file: string): HostTree {
  const tree = hostTree(file)
  onTestFinished(() => tree[Symbol.dispose]())
  return tree
}
const follow = (tree: HostTree, args: object) =>
  followSource(plugin, { args: { hostRoot: tree.root, ...args }, resourceName: 'example.com/vf' })
const ids = (devices: readonly Device[]) => devices.map(({ id }) => id)
const functions = (...numbers: readonly number[]) => numbers.map((number) => `0000:af:00.${number}`)

test('network keeps the contract', async () => {
  const devices = await runDeviceSource(plugin, samples.network)
  expect(devices.map(({ id, health, numaNodes = [] }) => `${id} ${health} ${numaNodes.join()}`)).toEqual(
    functions(2, 3, 4, 5).map((id) => `${id} Healthy 1`),
  )
})

describe('virtual functions', () => {
  test.for([
    { it: 'the name of a port', args: { virtualFunctionsOf: ['ens1f1*'] }, found: functions(6) },
    { it: 'the address of a port', args: { virtualFunctionsOf: ['0000:af:00.0'] }, found: functions(2, 3, 4, 5) },
    { it: 'number', args: { virtualFunctionsOf: ['*'], indexes: { first: 1, last: 2 } }, found: functions(3, 4) },
    { it: 'driver', args: { virtualFunctionsOf: ['*'], driver: 'vfio-pci' }, found: functions(5) },
    { it: 'vendor and device', args: { virtualFunctionsOf: ['*'], vendor: '15b3', device: '0x1017' }, found: [] },
  ])('are selected by $it', async ({ args, found }) => {
    await using source = follow(machine(sriov), args)
    expect(ids(await source.next())).toEqual(found)
  })

  test('give a container addresses and names, also of one that is in a pod, and the nodes of VFIO', async () => {
    await using source = follow(machine(sriov), { virtualFunctionsOf: ['ens1f0np0'] })
    await source.next()
    expect(await source.allocate('0000:af:00.3', '0000:af:00.2')).toEqual({
      env: { PCIDEVICE_EXAMPLE_COM_VF: '0000:af:00.2,0000:af:00.3', NETDEVICE_EXAMPLE_COM_VF: 'ens1f0v0,ens1f0v1' },
      deviceNodes: [],
    })
    expect((await source.allocate('0000:af:00.4')).env).toEqual({ PCIDEVICE_EXAMPLE_COM_VF: '0000:af:00.4' })
    const vfio = ['/dev/vfio/93', '/dev/vfio/vfio'].map((path) => ({
      hostPath: path,
      containerPath: path,
      permissions: 'rw',
    }))
    expect(await source.allocate('0000:af:00.5')).toEqual({
      env: { PCIDEVICE_EXAMPLE_COM_VF: '0000:af:00.5' },
      deviceNodes: vfio,
    })
  })

  test('of one port share its hardware', async () => {
    await using source = follow(machine(sriov), { virtualFunctionsOf: ['*'] })
    expect((await source.next()).map(({ physicalId }) => physicalId)).toEqual(functions(0, 0, 0, 0, 1))
  })

  test('stay in the list when a CNI plugin moves their interface into a pod', async () => {
    const tree = machine(sriov)
    await using source = follow(tree, { virtualFunctionsOf: ['ens1f0np0'] })
    const before = ids(await source.next())
    tree.remove('/sys/class/net/ens1f0v0')
    expect(await source.next()).toMatchObject(before.map((id) => ({ id, health: 'Healthy' })))
  })

  test('that are created or removed reach the list', async () => {
    const tree = machine(sriov)
    await using source = follow(tree, { virtualFunctionsOf: ['ens1f0np0'] })
    await source.next()
    tree.remove('/sys/devices/pci0000:ae/0000:af:00.0/virtfn3')
    expect(ids(await source.next())).toEqual(functions(2, 3, 4))
    tree.add('/sys/devices/pci0000:ae/0000:af:00.0/virtfn3 -> ../0000:af:00.5')
    expect(ids(await source.next())).toEqual(functions(2, 3, 4, 5))
  })
})

describe('interfaces', () => {
  test('of a recorded virtual machine have the address of the card above, or their name', async () => {
    await using source = follow(machine(virtioMachine), { interfaces: ['eth*', 'docker0'] })
    const devices = await source.next()
    expect(devices.map(({ id, health }) => `${id} ${health}`)).toEqual(['0000:00:03.0 Healthy', 'net-docker0 Healthy'])
    expect(devices[0]).not.toHaveProperty('numaNodes')
    expect(await source.allocate('0000:00:03.0', 'net-docker0')).toEqual({
      env: { PCIDEVICE_EXAMPLE_COM_VF: '0000:00:03.0', NETDEVICE_EXAMPLE_COM_VF: 'eth0,docker0' },
      deviceNodes: [],
    })
  })

  test('are selected by their card, which a virtual interface does not have', async () => {
    await using source = follow(machine(virtioMachine), { interfaces: ['*'], vendor: '1af4' })
    expect(ids(await source.next())).toEqual(['0000:00:03.0'])
    await using none = follow(machine(virtioMachine), { interfaces: ['*'], driver: 'mlx5_core' })
    expect(await none.next()).toEqual([])
  })

  test('that share a PCI function have their names as ids', async () => {
    const tree = machine(sriov)
    const directory = 'devices/pci0000:ae/0000:af:00.0/net/ens1f0np2'
    tree.add(`/sys/class/net/ens1f0np2 -> ../../${directory}\n/sys/${directory}/carrier = 1`)
    await using source = follow(tree, { interfaces: ['ens1f0np*'] })
    expect(ids(await source.next())).toEqual(['net-ens1f0np0', 'net-ens1f0np2'])
  })
})

describe('the id of an interface', () => {
  const port = (tree: HostTree): void => {
    const directory = 'devices/pci0000:ae/0000:af:00.0/net/ens1f0np2'
    tree.add(`/sys/class/net/ens1f0np2 -> ../../${directory}\n/sys/${directory}/carrier = 1`)
  }

  test('stays when another interface of its PCI function moves into a pod, because a pod may hold it', async () => {
    const tree = machine(sriov)
    port(tree)
    await using source = follow(tree, { interfaces: ['ens1f0np*'] })
    await source.next()
    tree.remove('/sys/class/net/ens1f0np0')
    expect(ids(await source.next())).toEqual(['net-ens1f0np2'])
  })

  test('stays when its PCI function gets another interface', async () => {
    const tree = machine(sriov)
    await using source = follow(tree, { interfaces: ['ens1f0np*'] })
    expect(ids(await source.next())).toEqual(functions(0))
    port(tree)
    expect(ids(await source.next())).toEqual([...functions(0), 'net-ens1f0np2'])
  })

  test('is its name for a USB adapter, which is not the card of its USB controller', async () => {
    const tree = machine(virtioMachine)
    const controller = 'devices/pci0000:00/0000:00:14.0'
    tree.add(`/sys/bus/pci/devices/0000:00:14.0 -> ../../../${controller}
/sys/${controller}/vendor = 0x8086
/sys/class/net/enx0 -> ../../${controller}/usb1/1-2/1-2:1.0/net/enx0
/sys/${controller}/usb1/1-2/1-2:1.0/net/enx0/carrier = 1`)
    await using source = follow(tree, { interfaces: ['enx*'] })
    expect(ids(await source.next())).toEqual(['net-enx0'])
    expect((await source.allocate('net-enx0')).env).toEqual({ NETDEVICE_EXAMPLE_COM_VF: 'enx0' })
    await using byVendor = follow(tree, { interfaces: ['enx*'], vendor: '8086' })
    expect(await byVendor.next()).toEqual([])
  })
})

describe('health', () => {
  test('follows the carrier of the port', async () => {
    const tree = machine(sriov)
    await using source = follow(tree, { virtualFunctionsOf: ['ens1f0np0'], requireCarrier: true })
    expect((await source.next()).map(({ health }) => health)).toEqual(Array.from({ length: 4 }, () => 'Healthy'))
    tree.add('/sys/class/net/ens1f0np0/carrier = 0')
    const reason = 'ens1f0np0 has no carrier'
    expect(await source.next()).toMatchObject([{ reason }, { reason }, { reason }, { reason }])
  })

  test('says that an interface is down', async () => {
    await using source = follow(machine(sriov), { interfaces: ['ens1f1np1'], requireCarrier: true })
    expect(await source.next()).toMatchObject([{ health: 'Unhealthy', reason: 'ens1f1np1 is down' }])
  })

  test.for([
    { it: 'a node of VFIO is missing', change: '', removed: '/dev/vfio/93', says: /\/dev\/vfio\/93 is missing$/ },
    {
      it: 'there is no IOMMU group',
      change: '',
      removed: '/sys/devices/pci0000:ae/0000:af:00.5/iommu_group',
      says: /^0000:af:00\.5 has no IOMMU group/,
    },
    {
      it: 'the IOMMU group has another member',
      change: '/sys/kernel/iommu_groups/93/devices/0000:00:00.0 -> x',
      removed: '/dev/none',
      says: /^IOMMU group 93 of 0000:af:00\.5 has other members/,
    },
  ])('is unhealthy for VFIO when $it', async ({ change, removed, says }) => {
    const tree = machine(sriov)
    tree.add(change)
    tree.remove(removed)
    await using source = follow(tree, { virtualFunctionsOf: ['*'], driver: 'vfio-pci' })
    expect(await source.next()).toMatchObject([{ health: 'Unhealthy', reason: expect.stringMatching(says) }])
  })
})

test.for([
  { it: 'nothing to select', args: {}, says: 'expected either interfaces or virtualFunctionsOf' },
  { it: 'both', args: { interfaces: ['*'], virtualFunctionsOf: ['*'] }, says: 'expected either interfaces' },
  {
    it: 'a wrong order',
    args: { virtualFunctionsOf: ['*'], indexes: { first: 2, last: 1 } },
    says: 'expected first to be at most last',
  },
  { it: 'numbers of interfaces', args: { interfaces: ['*'], indexes: { first: 0, last: 1 } }, says: 'args.indexes' },
  { it: 'an unknown key', args: { interfaces: ['*'], carrier: true }, says: 'args.carrier: no such key' },
])('arguments are refused with $it', ({ args, says }) => {
  const registry = createPluginRegistry([{ plugin, origin: 'here' }])
  expect(() => registry.createDeviceSource('network', args, {} as never)).toThrow(says)
})
