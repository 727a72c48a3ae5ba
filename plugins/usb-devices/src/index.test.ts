import { followSource, type HostTree, hostTree } from '@berth/device-discovery/testing'
import { createPluginRegistry, type Device } from '@berth/plugin-api'
import { runDeviceSource } from '@berth/plugin-api/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { samples, treeFile } from '../test/sample.ts'
import { plugin } from './index.ts'

const FTDI = 'usb-0403-6001-A50285BI'
const usb1 = '/sys/devices/pci0000:80/0000:80:14.0/usb1'

function machine(): HostTree {
  const tree = hostTree(treeFile)
  onTestFinished(() => tree[Symbol.dispose]())
  return tree
}
const ids = (devices: readonly Device[]) => devices.map(({ id }) => id)
const node = (path: string) => ({ hostPath: path, containerPath: path, permissions: 'rw' })

test('usb keeps the contract', async () => {
  expect(await runDeviceSource(plugin, samples.usb)).toMatchObject([
    { id: FTDI, health: 'Healthy', paths: ['/dev/ttyUSB0'], numaNodes: [1] },
    { id: 'usb-1a86-7523-port-1-2.4-e78f029d', health: 'Healthy', paths: ['/dev/ttyUSB1'], numaNodes: [1] },
  ])
})

describe('selectors', () => {
  test.for([
    { it: 'vendor and product', devices: [{ vendor: '0x403', product: '6001' }], found: [FTDI] },
    { it: 'a serial number', devices: [{ serial: 'a50285*' }], found: [FTDI] },
    { it: 'a port', devices: [{ port: '1-5' }], found: ['usb-046d-0825-6D6D4F10'] },
    { it: 'all keys of an entry', devices: [{ vendor: '0403', serial: '6D6D4F10' }], found: [] },
  ])('match by $it', async ({ devices, found }) => {
    await using source = followSource(plugin, { args: { devices, hostRoot: machine().root } })
    expect(ids(await source.next())).toEqual(found)
  })

  test.for([
    { it: 'no device', args: { devices: [] }, says: 'args.devices: ' },
    { it: 'an empty entry', args: { devices: [{}] }, says: 'expected vendor, product, serial or port' },
    { it: 'a decimal vendor', args: { devices: [{ vendor: 1027 }] }, says: 'args.devices[0].vendor: ' },
    { it: 'an unknown key', args: { devices: [{ vendor: '0403' }], udev: true }, says: 'args.udev: no such key' },
  ])('refuse $it', ({ args, says }) => {
    const registry = createPluginRegistry([{ plugin, origin: 'here' }])
    expect(() => registry.createDeviceSource('usb', args, {} as never)).toThrow(says)
  })
})

describe('a container', () => {
  test('gets the node on the bus', async () => {
    await using source = followSource(plugin, { args: { devices: [{ vendor: '0403' }], hostRoot: machine().root } })
    await source.next()
    expect(await source.allocate(FTDI)).toEqual({ deviceNodes: [node('/dev/bus/usb/001/004')] })
  })

  test('gets every node of the classes, with the permissions', async () => {
    const args = { devices: [{ port: '1-5' }], nodes: ['video4linux'], permissions: 'r', hostRoot: machine().root }
    await using source = followSource(plugin, { args })
    const [camera] = await source.next()
    expect(await source.allocate(camera?.id ?? '')).toEqual({
      deviceNodes: ['/dev/video0', '/dev/video1'].map((path) => ({ ...node(path), permissions: 'r' })),
    })
  })
})

describe('changes', () => {
  const args = (tree: HostTree, more = {}) => ({ devices: [{ vendor: '0403' }], hostRoot: tree.root, ...more })

  test('a device that is plugged in again keeps its id and gets its new node', async () => {
    const tree = machine()
    await using source = followSource(plugin, { args: args(tree) })
    await source.next()
    tree.remove('/dev/bus/usb/001/004')
    tree.remove('/sys/bus/usb/devices/1-2.1')
    expect(await source.next()).toEqual([])
    tree.add(String.raw`
/sys/bus/usb/devices/1-3 -> ../../../devices/pci0000:80/0000:80:14.0/usb1/1-3
${usb1}/1-3/idVendor = 0403
${usb1}/1-3/idProduct = 6001
${usb1}/1-3/serial = A50285BI
${usb1}/1-3/uevent = DEVNAME=bus/usb/001/009
/dev/bus/usb/001/009`)
    expect(ids(await source.next())).toEqual([FTDI])
    expect(await source.allocate(FTDI)).toEqual({ deviceNodes: [node('/dev/bus/usb/001/009')] })
  })

  test('a device without its node is unhealthy until the node appears', async () => {
    const tree = machine()
    tree.remove('/dev/ttyUSB0')
    await using source = followSource(plugin, { args: args(tree, { nodes: ['tty'] }) })
    expect(await source.next()).toMatchObject([
      { id: FTDI, reason: expect.stringMatching(/\/dev\/ttyUSB0 is missing$/) },
    ])
    tree.add('/dev/ttyUSB0')
    expect(await source.next()).toMatchObject([{ id: FTDI, health: 'Healthy' }])
  })

  test('a device whose driver is not loaded is unhealthy', async () => {
    await using source = followSource(plugin, { args: args(machine(), { nodes: ['hidraw'] }) })
    const reason = 'no driver offers a node of hidraw at port 1-2.1'
    expect(await source.next()).toMatchObject([{ id: FTDI, health: 'Unhealthy', reason }])
  })

  test('a device with a copied serial number does not take the id of the first, also at a lower port', async () => {
    const tree = machine()
    await using source = followSource(plugin, { args: args(tree) })
    await source.next()
    tree.add(String.raw`
/sys/bus/usb/devices/1-1 -> ../../../devices/pci0000:80/0000:80:14.0/usb1/1-1
${usb1}/1-1/idVendor = 0403
${usb1}/1-1/idProduct = 6001
${usb1}/1-1/serial = A50285BI
${usb1}/1-1/uevent = DEVNAME=bus/usb/001/009
/dev/bus/usb/001/009`)
    expect(await source.next()).toMatchObject([
      { id: FTDI, health: 'Healthy', paths: ['/dev/bus/usb/001/004'] },
      { health: 'Unhealthy', paths: ['/dev/bus/usb/001/009'] },
    ])
  })

  test('of two devices with one serial number, one is offered', async () => {
    const tree = machine()
    tree.add(
      `${usb1}/1-2/1-2.4/idVendor = 0403\n${usb1}/1-2/1-2.4/idProduct = 6001\n${usb1}/1-2/1-2.4/serial = A50285BI`,
    )
    await using source = followSource(plugin, { args: args(tree) })
    expect(await source.next()).toMatchObject([
      { id: FTDI, health: 'Healthy' },
      { health: 'Unhealthy', reason: 'another device has the serial number A50285BI; set identifyBy: port' },
    ])
    await using byPort = followSource(plugin, { args: args(tree, { identifyBy: 'port' }) })
    expect((await byPort.next()).map(({ health }) => health)).toEqual(['Healthy', 'Healthy'])
  })
})
