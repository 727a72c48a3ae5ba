import type { HostFiles } from '../host/host-files.ts'
import { classDevices, deviceNodeOf } from './device-nodes.ts'
import { pciAddressPattern } from './pci.ts'

/** USB devices are named after their port: `1-2.4`. Their interfaces follow after a colon: `1-2.4:1.0`. */
const usbDevicePattern = /^\d+-\d+(?:\.\d+)*$/

/**
 * Lists the device nodes of the classes, such as `tty` or `drm`, by the PCI function or USB device that owns them. The
 * owner is the nearest one above in sysfs, so a hub or a bridge does not own the devices behind it.
 *
 * @returns Name of the device on its bus (`0000:3b:00.0`, `1-2.4`) -> paths in /dev, in the order of the classes.
 */
export async function childNodes(
  classNames: readonly string[],
  host: HostFiles,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = await Promise.all(classNames.map((className) => classDevices(className, host)))
  const nodes = await Promise.all(
    found
      .flat()
      .map(async ({ directory }) => [busDeviceAbove(directory), await deviceNodeOf(directory, host)] as const),
  )
  const byOwner = new Map<string, string[]>()
  for (const [owner, path] of nodes) {
    if (owner !== undefined && path !== undefined) byOwner.set(owner, [...(byOwner.get(owner) ?? []), path])
  }
  return byOwner
}

/** Returns the name of the nearest PCI function or USB device at or above a directory of sysfs. */
function busDeviceAbove(directory: string): string | undefined {
  return directory.split('/').findLast((part) => pciAddressPattern.test(part) || usbDevicePattern.test(part))
}

/**
 * Returns the address of the PCI function that a directory of sysfs belongs to. Undefined below a USB device, because the
 * function above it is the USB controller, which many devices share.
 */
export function pciAddressAbove(directory: string): string | undefined {
  const nearest = busDeviceAbove(directory)
  return nearest !== undefined && pciAddressPattern.test(nearest) ? nearest : undefined
}
