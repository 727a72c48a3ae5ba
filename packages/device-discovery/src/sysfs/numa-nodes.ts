import { dirname, join } from 'node:path'
import { hostFiles, type HostFiles } from '../host/host-files.ts'

/** Formats a device number as MAJOR:MINOR, as glibc's gnu_dev_major and gnu_dev_minor do. */
export function deviceNumber(rdev: number): string {
  const number = BigInt(rdev)
  const major = ((number >> 8n) & 0xfffn) | ((number >> 32n) & 0xfffff000n)
  const minor = (number & 0xffn) | ((number >> 12n) & 0xffffff00n)
  return `${major}:${minor}`
}

/**
 * Reads the NUMA node of a device node from sysfs.
 *
 * @returns Empty when sysfs has no value or -1: the device has no preference.
 */
export async function numaNodes(
  kind: 'char' | 'block',
  rdev: number,
  host: HostFiles = hostFiles('/'),
): Promise<readonly number[]> {
  const device = await host.real(`/sys/dev/${kind}/${deviceNumber(rdev)}/device`)
  // Virtual devices have no such directory.
  return device === undefined ? [] : await numaNodesAbove(device, host)
}

/**
 * Reads the NUMA node of a directory below /sys/devices: its own, or that of the nearest device above, because only bus
 * devices such as PCI functions have the attribute.
 *
 * @param directory - Without links.
 * @returns Empty when sysfs has no value or -1: the device has no preference.
 */
export async function numaNodesAbove(directory: string, host: HostFiles): Promise<readonly number[]> {
  for (let path = directory; path.startsWith('/sys/') && path !== '/sys/devices'; path = dirname(path)) {
    const text = await host.text(join(path, 'numa_node'))
    if (text === undefined) continue
    const node = Number(text)
    return text !== '' && Number.isInteger(node) && node >= 0 ? [node] : []
  }
  return []
}
