import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

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
export async function numaNodes(kind: 'char' | 'block', rdev: number, sysfs = '/sys'): Promise<readonly number[]> {
  try {
    const path = join(sysfs, 'dev', kind, deviceNumber(rdev), 'device', 'numa_node')
    const node = Number((await readFile(path, 'utf8')).trim())
    return Number.isInteger(node) && node >= 0 ? [node] : []
  } catch {
    // Virtual devices and most buses have no such file.
    return []
  }
}
