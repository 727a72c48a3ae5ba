import type { Node } from '@berth/types'

const CAPACITY_PATH = ['f:status', 'f:capacity'] as const

/**
 * Returns the capacity keys that the kubelet wrote last: resources of a running device plugin, and resources that the
 * kubelet reset to zero. Read from `metadata.managedFields` (server-side field tracking, v1.36).
 *
 * @returns Empty when the API server does not track fields.
 */
export function kubeletManagedCapacity(node: Node): ReadonlySet<string> {
  const names = new Set<string>()
  for (const entry of node.metadata.managedFields ?? []) {
    if (member(entry, 'manager') !== 'kubelet') continue
    const capacity = CAPACITY_PATH.reduce(member, member(entry, 'fieldsV1'))
    if (typeof capacity !== 'object' || capacity === null) continue
    for (const key of Object.keys(capacity)) if (key.startsWith('f:')) names.add(key.slice(2))
  }
  return names
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return new Map<string, unknown>(Object.entries(value)).get(key)
}
