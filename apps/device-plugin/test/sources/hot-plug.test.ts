import { join } from 'node:path'
import { systemClock } from '@berth/clock'
import { hostTree } from '@berth/device-discovery/testing'
import { builtInDeviceSources } from '@berth/built-in-plugins/device-sources'
import { createPluginRegistry } from '@berth/plugin-api'
import { silentLogger } from '@berth/types'
import { expect, test } from 'vitest'
import { DONGLE, startTestNode } from '../test-node.ts'

const env = { log: silentLogger, clock: systemClock(), random: Math.random, resourceName: DONGLE }
const sources = createPluginRegistry(builtInDeviceSources.map((plugin) => ({ plugin, origin: 'built in' })))
const plugins = join(import.meta.dirname, '../../../../plugins')

test('a USB device that is unplugged and plugged into another port reaches the kubelet without waiting for the rescan', async () => {
  await using testNode = await startTestNode()
  using tree = hostTree(join(plugins, 'usb-devices/test/trees/serial-adapters.tree'))
  const usb1 = '/sys/devices/pci0000:80/0000:80:14.0/usb1'
  const args = { devices: [{ vendor: '0403' }], rescanSeconds: 3600, hostRoot: tree.root }
  testNode.startPlugin('watcher', { source: sources.createDeviceSource('usb', args, env) })
  await testNode.waitForCounts('1/1')

  tree.remove('/sys/bus/usb/devices/1-2.1')
  tree.remove('/dev/bus/usb/001/004')
  await testNode.waitForCounts('0/0')

  tree.add(String.raw`
${usb1}/1-3/idVendor = 0403
${usb1}/1-3/idProduct = 6001
${usb1}/1-3/serial = A50285BI
${usb1}/1-3/uevent = DEVNAME=bus/usb/001/009
/sys/bus/usb/devices/1-3 -> ../../../devices/pci0000:80/0000:80:14.0/usb1/1-3
/dev/bus/usb/001/009`)
  await testNode.waitForCounts('1/1')
  const options = testNode.kubelet.runOptions(await testNode.runPod('p', 1), 'main')
  expect(options.env.get('BERTH_DEVICES_EXAMPLE_COM_DONGLE')).toBe('usb-0403-6001-A50285BI')
  expect(options.env.get('BERTH_PATHS_EXAMPLE_COM_DONGLE')).toBe('/dev/bus/usb/001/009')
})
