/** PCI functions, and devices of any class or bus of sysfs, by their attributes. */
import { createScanningSource, hostFiles, listEnv, nodesInContainer } from '@berth/device-discovery'
import { type BerthPlugin, defineDeviceSource, type DeviceSourcePlugin } from '@berth/plugin-api'
import { type PciArgs, pciArgs, type SysfsArgs, sysfsArgs } from './args.ts'
import { scanPci } from './scan-pci.ts'
import { scanSysfs } from './scan-sysfs.ts'

/** PCI functions. A function that is bound to vfio-pci brings the node of its IOMMU group. */
export const pci: DeviceSourcePlugin<PciArgs> = defineDeviceSource({
  apiVersion: 'berth.dev/v1',
  name: 'pci',
  description: 'PCI functions by vendor, device, class, driver, address and attributes; also for VFIO.',
  argsSchema: pciArgs,
  create(args, env) {
    const host = hostFiles(args.hostRoot)
    return createScanningSource(
      {
        scan: async () => ({ devices: await scanPci(args, host) }),
        watchedDirectories: () => ['/dev', '/dev/vfio'].map((path) => host.locate(path)),
        rescanSeconds: args.rescanSeconds,
        allocate: (devices) => ({
          env: listEnv(
            'PCIDEVICE',
            env.resourceName,
            devices.flatMap(({ addresses }) => addresses),
          ),
          deviceNodes: nodesInContainer(
            devices.flatMap(({ nodes }) => nodes),
            args.permissions,
          ),
        }),
      },
      env,
    )
  },
})

/** Devices of a class or a bus: accelerators, sensors, platform devices. */
export const sysfs: DeviceSourcePlugin<SysfsArgs> = defineDeviceSource({
  apiVersion: 'berth.dev/v1',
  name: 'sysfs',
  description: 'Devices of a class or a bus in sysfs by name, driver and attributes.',
  argsSchema: sysfsArgs,
  create(args, env) {
    const host = hostFiles(args.hostRoot)
    return createScanningSource(
      {
        scan: async () => ({ devices: await scanSysfs(args, host) }),
        watchedDirectories: () => [host.locate('/dev')],
        rescanSeconds: args.rescanSeconds,
        allocate: (devices) => ({
          env: listEnv(
            'SYSFSDEVICE',
            env.resourceName,
            devices.map(({ name }) => name),
          ),
          deviceNodes: nodesInContainer(
            devices.flatMap(({ nodes }) => nodes),
            args.permissions,
          ),
        }),
      },
      env,
    )
  },
})

/** Both sources. */
export const plugins: readonly BerthPlugin[] = [pci, sysfs]
