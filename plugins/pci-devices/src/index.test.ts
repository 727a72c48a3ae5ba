import { followSource, type HostTree, hostTree } from '@berth/device-discovery/testing'
import { createPluginRegistry, type Device } from '@berth/plugin-api'
import { runDeviceSource } from '@berth/plugin-api/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { accelerators, samples, virtioMachine } from '../test/sample.ts'
import { pci, plugins, sysfs } from './index.ts'

function machine(file: string): HostTree {
  const tree = hostTree(file)
  onTestFinished(() => tree[Symbol.dispose]())
  return tree
}
const ids = (devices: readonly Device[]) => devices.map(({ id }) => id)
const nodes = (...paths: readonly string[]) =>
  paths.map((path) => ({ hostPath: path, containerPath: path, permissions: 'rw' }))

test('pci and sysfs keep the contract', async () => {
  expect(await runDeviceSource(pci, samples.pci)).toMatchObject([
    { id: '0000:3b:00.0', health: 'Healthy', numaNodes: [0] },
    { id: '0000:af:00.0', health: 'Healthy', numaNodes: [1] },
  ])
  expect(await runDeviceSource(sysfs, samples.sysfs)).toMatchObject([
    { id: 'accel-accel0', health: 'Healthy', numaNodes: [0] },
    { id: 'accel-accel1', health: 'Healthy', numaNodes: [1] },
  ])
})

describe('selectors of pci', () => {
  test.for([
    { it: 'vendor and device', devices: [{ vendor: '10EE', device: '0x5001' }], found: ['0000:b1:00.0'] },
    {
      it: 'the start of the class',
      devices: [{ class: '12' }],
      found: ['0000:3b:00.0', '0000:af:00.0', '0000:b1:00.0'],
    },
    { it: 'a whole class', devices: [{ class: '0x030000' }], found: ['0000:b2:00.0'] },
    { it: 'driver', devices: [{ driver: 'e1000*' }], found: ['0000:b5:00.0'] },
    { it: 'address', devices: [{ address: '0000:3b:*' }], found: ['0000:3b:00.0'] },
    { it: 'an attribute', devices: [{ class: '12', attributes: { revision: '0x02' } }], found: ['0000:af:00.0'] },
    { it: 'a missing attribute', devices: [{ class: '12', attributes: { serial: '*' } }], found: [] },
    {
      it: 'several entries',
      devices: [{ driver: 'e1000e' }, { vendor: '10ee' }],
      found: ['0000:b1:00.0', '0000:b5:00.0'],
    },
  ])('match by $it', async ({ devices, found }) => {
    await using source = followSource(pci, { args: { devices, hostRoot: machine(accelerators).root } })
    expect(ids(await source.next())).toEqual(found)
  })

  test('match on a recorded virtual machine, which has no NUMA node', async () => {
    const args = { devices: [{ vendor: '1af4', class: '01' }], nodes: ['block'], hostRoot: machine(virtioMachine).root }
    await using source = followSource(pci, { args })
    const [disk, ...others] = await source.next()
    expect(disk).toEqual({
      id: '0000:00:02.0',
      health: 'Healthy',
      paths: ['/dev/vda', '/sys/bus/pci/devices/0000:00:02.0'],
      addresses: ['0000:00:02.0'],
      nodes: ['/dev/vda'],
    })
    expect(others).toEqual([])
  })

  test.for([
    { it: 'no device', source: 'pci', args: { devices: [] }, says: 'args.devices: ' },
    { it: 'an empty entry', source: 'pci', args: { devices: [{}] }, says: 'expected vendor, device, class' },
    { it: 'half a class digit', source: 'pci', args: { devices: [{ class: '123' }] }, says: 'two, four or six' },
    { it: 'a file elsewhere', source: 'pci', args: { devices: [{ attributes: { '../x': '1' } }] }, says: 'attributes' },
    { it: 'another directory', source: 'sysfs', args: { directory: '/etc' }, says: 'expected /sys/class/CLASS' },
    {
      it: 'an unknown key',
      source: 'sysfs',
      args: { directory: '/sys/class/accel', name: 'x' },
      says: 'args.name: no such key',
    },
  ])('refuse $it', ({ source, args, says }) => {
    const registry = createPluginRegistry(plugins.map((plugin) => ({ plugin, origin: 'here' })))
    expect(() => registry.createDeviceSource(source, args, {} as never)).toThrow(says)
  })
})

describe('a container with PCI functions', () => {
  const follow = (devices: readonly object[], more = {}) =>
    followSource(pci, { args: { devices, hostRoot: machine(accelerators).root, ...more } })

  test('gets their addresses, and the nodes of the classes but not those below a bridge', async () => {
    await using source = follow([{ class: '12', driver: 'habanalabs' }], { nodes: ['accel'] })
    await source.next()
    expect(await source.allocate('0000:af:00.0', '0000:3b:00.0')).toEqual({
      env: { PCIDEVICE_EXAMPLE_COM_DEVICE: '0000:3b:00.0,0000:af:00.0' },
      deviceNodes: nodes('/dev/accel/accel0', '/dev/accel/accel1'),
    })
    await using bridge = follow([{ class: '0604' }], { nodes: ['accel'] })
    expect(await bridge.next()).toMatchObject([{ reason: '0000:00:01.0 has no node of accel' }])
  })

  test('gets the VFIO nodes of its group', async () => {
    await using source = follow([{ vendor: '10ee' }])
    await source.next()
    expect(await source.allocate('0000:b1:00.0')).toEqual({
      env: { PCIDEVICE_EXAMPLE_COM_DEVICE: '0000:b1:00.0' },
      deviceNodes: nodes('/dev/vfio/41', '/dev/vfio/vfio'),
    })
  })

  test('gets all selected functions of a group, which are one device', async () => {
    await using source = follow([{ vendor: '1002' }])
    expect(await source.next()).toMatchObject([{ id: '0000:b2:00.0', health: 'Healthy' }])
    expect(await source.allocate('0000:b2:00.0')).toEqual({
      env: { PCIDEVICE_EXAMPLE_COM_DEVICE: '0000:b2:00.0,0000:b2:00.1' },
      deviceNodes: nodes('/dev/vfio/42', '/dev/vfio/vfio'),
    })
  })
})

describe('health of PCI functions', () => {
  test('names the driver that keeps a group from VFIO, and recovers when it is unbound', async () => {
    const tree = machine(accelerators)
    await using source = followSource(pci, { args: { devices: [{ address: '0000:b4:*' }], hostRoot: tree.root } })
    expect(await source.next()).toMatchObject([
      { reason: expect.stringMatching(/0000:b5:00\.0, which is bound to e1000e/) },
    ])
    tree.remove('/sys/devices/pci0000:ae/0000:b5:00.0/driver')
    expect(await source.next()).toMatchObject([{ id: '0000:b4:00.0', health: 'Healthy' }])
  })

  test('is unhealthy without an IOMMU group, without a driver and without its node', async () => {
    const tree = machine(accelerators)
    tree.remove('/sys/devices/pci0000:ae/0000:b1:00.0/iommu_group')
    tree.remove('/sys/devices/pci0000:ae/0000:af:00.0/driver')
    tree.remove('/sys/devices/pci0000:ae/0000:af:00.0/accel')
    tree.remove('/dev/accel/accel0')
    const args = { devices: [{ class: '12' }], nodes: ['accel'], hostRoot: tree.root }
    await using source = followSource(pci, { args })
    expect((await source.next()).map(({ reason }) => reason?.replace(tree.root, ''))).toEqual([
      '/dev/accel/accel0 is missing',
      '0000:af:00.0 has no node of accel: it is bound to no driver',
      '0000:b1:00.0 has no IOMMU group: enable the IOMMU of the machine',
    ])
  })

  test('a function that is removed leaves the list', async () => {
    const tree = machine(accelerators)
    await using source = followSource(pci, { args: { devices: [{ class: '12' }], hostRoot: tree.root } })
    await source.next()
    tree.remove('/sys/bus/pci/devices/0000:b1:00.0')
    expect(ids(await source.next())).toEqual(['0000:3b:00.0', '0000:af:00.0'])
  })
})

describe('sysfs', () => {
  const follow = (more: object) =>
    followSource(sysfs, { args: { directory: '/sys/class/accel', hostRoot: machine(accelerators).root, ...more } })

  test.for([
    { it: 'name', args: { names: ['accel?'] }, found: ['accel-accel0', 'accel-accel1'] },
    { it: 'attribute', args: { directory: '/sys/class/nvme', attributes: { serial: '*3' } }, found: ['nvme-nvme1'] },
    { it: 'attribute of its device', args: { attributes: { 'device/revision': '0x01' } }, found: ['accel-accel0'] },
    { it: 'missing attribute', args: { attributes: { serial: '*' } }, found: [] },
    { it: 'driver of its device', args: { driver: 'none' }, found: [] },
    { it: 'bus', args: { directory: '/sys/bus/pci/devices', driver: 'e1000e' }, found: ['pci-0000-b5-00.0-098133fe'] },
  ])('selects by $it', async ({ args, found }) => {
    await using source = follow(args)
    expect(ids(await source.next())).toEqual(found)
  })

  const nvme = (tree: HostTree) => ({ directory: '/sys/class/nvme', idAttribute: 'serial', hostRoot: tree.root })
  const controller = (bus: string, name: string) => `/sys/devices/pci0000:c0/0000:${bus}:00.0/nvme/${name}`

  test('an id from an attribute stays when the kernel numbers the devices in another order', async () => {
    const tree = machine(accelerators)
    await using source = followSource(sysfs, { args: nvme(tree) })
    expect(ids(await source.next())).toEqual(['nvme-S64GNX0T100007', 'nvme-S64GNX0T100003'])
    tree.add(
      `${controller('c1', 'nvme0')}/serial = S64GNX0T100003\n${controller('c2', 'nvme1')}/serial = S64GNX0T100007`,
    )
    expect(ids(await source.next())).toEqual(['nvme-S64GNX0T100003', 'nvme-S64GNX0T100007'])
    expect(await source.allocate('nvme-S64GNX0T100007')).toEqual({
      env: { SYSFSDEVICE_EXAMPLE_COM_DEVICE: 'nvme1' },
      deviceNodes: nodes('/dev/nvme1'),
    })
  })

  test('of two devices with one identity, one is offered', async () => {
    const tree = machine(accelerators)
    tree.add(`${controller('c2', 'nvme1')}/serial = S64GNX0T100007`)
    await using source = followSource(sysfs, { args: nvme(tree) })
    expect(await source.next()).toMatchObject([
      { health: 'Healthy' },
      { health: 'Unhealthy', reason: 'another device has the serial S64GNX0T100007' },
    ])
  })

  test('offers block devices of a recorded virtual machine', async () => {
    const args = { directory: '/sys/class/block', names: ['vd*'], hostRoot: machine(virtioMachine).root }
    await using source = followSource(sysfs, { args })
    expect(await source.next()).toMatchObject([{ id: 'block-vda', nodes: ['/dev/vda'], health: 'Healthy' }])
  })

  test('gives a container the nodes below a device of a bus', async () => {
    const args = { directory: '/sys/bus/pci/devices', names: ['0000:3b:*'], nodes: ['accel'] }
    await using source = follow(args)
    const [device] = await source.next()
    expect((await source.allocate(device?.id ?? '')).deviceNodes).toEqual(nodes('/dev/accel/accel0'))
  })
})
