import type { Device } from '@berth/types'
import type { Stats } from 'node:fs'
import { basename } from 'node:path'
import { deviceNumber } from '@berth/device-discovery'

/** Replaces `{path}`, `{name}` and `{id}` by those of a device. */
export function fillTemplate(template: string, { id, paths = [] }: Device): string {
  const [path = ''] = paths
  const values: Readonly<Record<string, string>> = { '{path}': path, '{name}': basename(path), '{id}': id }
  // In one step, because a file name may contain one of the three. A function, because `$` has a meaning in a text.
  return template.replaceAll(/\{(?:path|name|id)\}/g, (match) => values[match] ?? match)
}

/** Returns the sysfs directory of a device node; undefined for any other file. */
export function sysfsDirectory(stats: Stats): string | undefined {
  const kind = stats.isCharacterDevice() ? 'char' : stats.isBlockDevice() ? 'block' : undefined
  return kind === undefined ? undefined : `/sys/dev/${kind}/${deviceNumber(stats.rdev)}`
}

/** Returns the code of a system error, or its text. */
export function errorCode(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
