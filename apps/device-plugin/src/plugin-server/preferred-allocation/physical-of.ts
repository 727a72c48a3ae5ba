import type { Device } from '@berth/types'

/** Returns what the slots or the partitions of one device have in common. */
export function physicalOf({ id, paths, physicalId }: Device): string {
  return physicalId ?? paths?.[0] ?? id
}
