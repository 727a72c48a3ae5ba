import type { Pod } from '@berth/types'

/** Returns the `namespace/name` of a pod: the key of pods in logs and in the view. */
export function podName(pod: Pod): string {
  return `${pod.metadata.namespace ?? 'default'}/${pod.metadata.name ?? ''}`
}
