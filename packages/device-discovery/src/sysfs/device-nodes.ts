import { join } from 'node:path'
import type { DeviceHealth } from '@berth/types'
import type { HostFiles } from '../host/host-files.ts'

/** Returns the device node that the kernel created for a directory of sysfs; undefined if it has none. */
export async function deviceNodeOf(directory: string, host: HostFiles): Promise<string | undefined> {
  const name = /^DEVNAME=(.+)$/m.exec((await host.text(join(directory, 'uevent'))) ?? '')?.[1]
  return name === undefined ? undefined : join('/dev', name)
}

/** A device of a class below another device: `tty/ttyUSB0`, `net/eth0`. */
export interface ClassDevice {
  readonly name: string
  /** Directory below /sys/devices. */
  readonly directory: string
}

/**
 * Lists the devices of a class, such as `tty`, with their directories below /sys/devices.
 *
 * @returns Sorted by name; empty if the kernel has no such class.
 */
export async function classDevices(className: string, host: HostFiles): Promise<readonly ClassDevice[]> {
  const parent = join('/sys/class', className)
  const found = await Promise.all(
    (await host.names(parent)).map(async (name) => ({ name, directory: await host.real(join(parent, name)) })),
  )
  // A name may be an attribute of the class, and a device may leave during the scan.
  return found.filter((each): each is ClassDevice => each.directory?.startsWith('/sys/devices/') === true)
}

/** Health of a device, as in an inventory. */
export interface NodeHealth {
  readonly health: DeviceHealth
  readonly reason?: string
}

/** Returns the health of a device whose nodes a container needs: unhealthy while one is missing. */
export async function healthOfNodes(nodes: readonly string[], host: HostFiles): Promise<NodeHealth> {
  for (const node of nodes) {
    if (!(await host.exists(node))) return { health: 'Unhealthy', reason: `${host.locate(node)} is missing` }
  }
  return { health: 'Healthy' }
}
