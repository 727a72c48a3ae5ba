import type { Device } from '@berth/types'

/** Returns what the slots of one device have in common. */
export function physicalOf({ id, paths }: Device): string {
  return paths?.[0] ?? id
}
