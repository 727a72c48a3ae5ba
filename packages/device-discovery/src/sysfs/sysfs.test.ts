import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hostFiles, type HostFiles } from '../host/host-files.ts'
import { writeHostTree } from '../testing/host-tree.ts'
import { childNodes, pciAddressAbove } from './child-nodes.ts'
import { classDevices, deviceNodeOf, healthOfNodes } from './device-nodes.ts'
import { driverOf, iommuGroupOf } from './pci.ts'

async function hostWith(lines: string): Promise<HostFiles> {
  const root = await mkdtemp(join(tmpdir(), 'sysfs-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  writeHostTree(root, lines)
  return hostFiles(root)
}

test('lists the devices of a class with their nodes, and skips attributes of the class', async () => {
  const host = await hostWith(String.raw`
/sys/class/drm/renderD128 -> ../../devices/gpu/drm/renderD128
/sys/class/drm/version = drm 1.1.0
/sys/class/drm/gone -> ../../devices/gone
/sys/devices/gpu/drm/renderD128/uevent = MAJOR=226\nMINOR=128\nDEVNAME=dri/renderD128
/sys/devices/gpu/uevent = DRIVER=amdgpu
`)
  const devices = await classDevices('drm', host)
  expect(devices).toEqual([{ name: 'renderD128', directory: '/sys/devices/gpu/drm/renderD128' }])
  expect(await deviceNodeOf('/sys/devices/gpu/drm/renderD128', host)).toBe('/dev/dri/renderD128')
  expect(await deviceNodeOf('/sys/devices/gpu', host)).toBeUndefined()
  expect(await classDevices('tty', host)).toEqual([])
})

test('a device is unhealthy while a node is missing', async () => {
  const host = await hostWith('/dev/a')
  expect(await healthOfNodes(['/dev/a'], host)).toEqual({ health: 'Healthy' })
  const reason = expect.stringMatching(/\/dev\/b is missing$/)
  expect(await healthOfNodes(['/dev/a', '/dev/b'], host)).toEqual({ health: 'Unhealthy', reason })
})

describe('iommuGroupOf', () => {
  const functions = (drivers: readonly string[]): string =>
    drivers
      .flatMap((driver, i) => [
        `/sys/bus/pci/devices/0000:3b:00.${i} -> ../../../devices/0000:3b:00.${i}`,
        `/sys/devices/0000:3b:00.${i}/class = 0x030000`,
        `/sys/devices/0000:3b:00.${i}/iommu_group -> ../../kernel/iommu_groups/7`,
        `/sys/kernel/iommu_groups/7/devices/0000:3b:00.${i} -> ../../../../devices/0000:3b:00.${i}`,
        ...(driver === '' ? [] : [`/sys/bus/pci/drivers/${driver}/bind = `]),
        ...(driver === '' ? [] : [`/sys/devices/0000:3b:00.${i}/driver -> ../../bus/pci/drivers/${driver}`]),
      ])
      .join('\n')

  test('returns the nodes and the members of a usable group', async () => {
    const host = await hostWith(functions(['vfio-pci', '']))
    expect(await driverOf('/sys/devices/0000:3b:00.0', host)).toBe('vfio-pci')
    expect(await driverOf('/sys/devices/0000:3b:00.1', host)).toBeUndefined()
    expect(await iommuGroupOf('/sys/devices/0000:3b:00.0', host)).toEqual({
      number: '7',
      members: ['0000:3b:00.0', '0000:3b:00.1'],
      nodes: ['/dev/vfio/7', '/dev/vfio/vfio'],
    })
  })

  test('names the member whose driver makes VFIO refuse the group', async () => {
    const host = await hostWith(functions(['vfio-pci', 'snd_hda_intel']))
    expect((await iommuGroupOf('/sys/devices/0000:3b:00.0', host))?.problem).toBe(
      'IOMMU group 7 also holds 0000:3b:00.1, which is bound to snd_hda_intel: bind every device of the group to vfio-pci',
    )
  })

  test('returns undefined without an IOMMU', async () => {
    expect(await iommuGroupOf('/sys/devices/x', await hostWith('/sys/devices/x/class = 0'))).toBeUndefined()
  })
})

test('gives each node of a class to the nearest bus device above', async () => {
  const usb = '/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2'
  const host = await hostWith(`
/sys/class/tty/ttyUSB0 -> ../../devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2.4/1-2.4:1.0/ttyUSB0/tty/ttyUSB0
${usb}/1-2.4/1-2.4:1.0/ttyUSB0/tty/ttyUSB0/uevent = DEVNAME=ttyUSB0
/sys/class/tty/tty0 -> ../../devices/virtual/tty/tty0
/sys/devices/virtual/tty/tty0/uevent = DEVNAME=tty0
/sys/class/drm/card0 -> ../../devices/pci0000:00/0000:00:01.0/0000:3b:00.0/drm/card0
/sys/devices/pci0000:00/0000:00:01.0/0000:3b:00.0/drm/card0/uevent = DEVNAME=dri/card0
/sys/class/drm/card0-DP-1 -> ../../devices/pci0000:00/0000:00:01.0/0000:3b:00.0/drm/card0/card0-DP-1
/sys/devices/pci0000:00/0000:00:01.0/0000:3b:00.0/drm/card0/card0-DP-1/uevent = DEVTYPE=drm_connector
`)
  expect(await childNodes(['tty', 'drm'], host)).toEqual(
    new Map([
      ['1-2.4', ['/dev/ttyUSB0']],
      ['0000:3b:00.0', ['/dev/dri/card0']],
    ]),
  )
})

test('finds the PCI function of a directory, but not the controller of a USB device', () => {
  expect(pciAddressAbove('/sys/devices/pci0000:00/0000:00:01.0/0000:3b:00.0/net/eth0')).toBe('0000:3b:00.0')
  expect(pciAddressAbove('/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0/net/enx0')).toBeUndefined()
  expect(pciAddressAbove('/sys/devices/virtual/net/br0')).toBeUndefined()
})
