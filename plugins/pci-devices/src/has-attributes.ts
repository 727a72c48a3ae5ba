import { join } from 'node:path'
import { type HostFiles, matchesPattern } from '@berth/device-discovery'

/** Returns whether the files of a device in sysfs have texts that match the patterns. A missing file does not match. */
export async function hasAttributes(
  directory: string,
  wanted: Readonly<Record<string, string>>,
  host: HostFiles,
): Promise<boolean> {
  for (const [name, pattern] of Object.entries(wanted)) {
    const text = await host.text(join(directory, name))
    if (text === undefined || !matchesPattern(text, pattern)) return false
  }
  return true
}
