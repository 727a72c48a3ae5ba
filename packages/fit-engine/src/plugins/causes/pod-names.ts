import type { Pod } from '@berth/types'

/** Number of pods that a cause names. */
const MAX_NAMED = 3

/** Returns the pod's `namespace/name`. */
export function podName({ metadata }: Pod): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
}

/** Names pods in a cause, sorted: `default/a, default/b and 4 more`. */
export function podNames(pods: readonly Pod[]): string {
  const names = pods.map(podName).sort()
  const more = names.length - MAX_NAMED
  return more > 0 ? `${names.slice(0, MAX_NAMED).join(', ')} and ${more} more` : names.join(', ')
}
