import type { Pod } from '@berth/types'

/** What identifies a pod: its uid, or namespace/name where it has none. */
export function podUid(pod: Pod): string {
  const { uid, namespace, name } = pod.metadata
  return uid == null || uid === '' ? `${namespace ?? ''}/${name ?? ''}` : uid
}
