import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hostFiles, type HostFiles } from '../host/host-files.ts'
import { writeHostTree } from '../testing/host-tree.ts'
import { deviceNumber, numaNodes } from './numa-nodes.ts'

async function hostWith(lines: string): Promise<HostFiles> {
  const root = await mkdtemp(join(tmpdir(), 'numa-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  writeHostTree(root, lines)
  return hostFiles(root)
}

test.for([
  { rdev: 0x01_03, number: '1:3' },
  { rdev: 0xbc_00, number: '188:0' },
  { rdev: 0x10_08_01, number: '8:257' },
])('formats device number $rdev as $number', ({ rdev, number }) => {
  expect(deviceNumber(rdev)).toBe(number)
})

test.for([
  { text: '1', nodes: [1] },
  { text: '-1', nodes: [] },
  { text: 'what', nodes: [] },
  { text: '', nodes: [] },
])('reads NUMA nodes $nodes from "$text"', async ({ text, nodes }) => {
  const host = await hostWith(`/sys/dev/char/1:3/device/numa_node = ${text}`)
  expect(await numaNodes('char', 0x01_03, host)).toEqual(nodes)
  expect(await numaNodes('block', 0x01_03, host)).toEqual([])
})

test('reads the NUMA node of the PCI controller above a serial port', async () => {
  const usb = '/sys/devices/pci0000:80/0000:80:14.0/usb1/1-2/1-2:1.0'
  const host = await hostWith(`
/sys/devices/pci0000:80/0000:80:14.0/numa_node = 1
/sys/devices/pci0000:80/numa_node = 0
${usb}/ttyUSB0/tty/ttyUSB0/dev = 188:0
${usb}/ttyUSB0/tty/ttyUSB0/device -> ../../../ttyUSB0
/sys/dev/char/188:0 -> ../../devices/pci0000:80/0000:80:14.0/usb1/1-2/1-2:1.0/ttyUSB0/tty/ttyUSB0
`)
  expect(await numaNodes('char', 0xbc_00, host)).toEqual([1])
})
