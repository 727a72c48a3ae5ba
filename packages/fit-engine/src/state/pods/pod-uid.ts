import type { Pod } from '@berth/types'

/** Returns the pod's uid, or `namespace/name` for a pod without one. */
export function podUid(pod: Pod): string {
  const { uid, namespace, name } = pod.metadata
  return uid == null || uid === '' ? `${namespace ?? ''}/${name ?? ''}` : uid
}
