/** USB devices by vendor, product and serial number. Their ids survive re-enumeration. */
import { createScanningSource, hostFiles, nodesInContainer } from '@berth/device-discovery'
import { defineDeviceSource } from '@berth/plugin-api'
import type { DeviceSourcePlugin } from '@berth/plugin-api'
import { argsSchema, type UsbArgs } from './args.ts'
import { scanUsb, type UsbDevice } from './scan-usb.ts'

/** Offers USB devices: the container gets the node in /dev/bus/usb, or those of the driver. */
export const plugin: DeviceSourcePlugin<UsbArgs> = defineDeviceSource({
  apiVersion: 'berth.dev/v1',
  name: 'usb',
  description: 'USB devices by vendor, product, serial number and port.',
  argsSchema,
  create(args, env) {
    const host = hostFiles(args.hostRoot)
    const portById = new Map<string, string>()
    let busDirectories: readonly string[] = []
    return createScanningSource<UsbDevice>(
      {
        async scan() {
          const buses = await host.names('/dev/bus/usb')
          busDirectories = buses.map((bus) => host.locate(`/dev/bus/usb/${bus}`))
          return { devices: await scanUsb(args, host, portById) }
        },
        watchedDirectories: () => [host.locate('/dev'), host.locate('/dev/bus/usb'), ...busDirectories],
        rescanSeconds: args.rescanSeconds,
        allocate: (devices) => ({
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
