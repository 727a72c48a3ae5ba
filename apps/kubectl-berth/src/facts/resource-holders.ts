import { boundPodRequest, isBound, isTerminal } from '@berth/resources'
import type { Pod } from '@berth/types'

/**
 * Returns the running pods with a node that request each extended resource, as `namespace/name`, in one pass over the pods.
 * A resource that no pod holds is absent.
 */
export function resourceHolders(pods: readonly Pod[]): ReadonlyMap<string, readonly string[]> {
  const holders = new Map<string, string[]>()
  for (const pod of pods) {
    if (!isBound(pod) || isTerminal(pod)) continue
    const name = `${pod.metadata.namespace ?? 'default'}/${pod.metadata.name ?? ''}`
    for (const [resourceName, units] of boundPodRequest(pod).scalar) {
      if (units <= 0n) continue
      const names = holders.get(resourceName)
      if (names === undefined) holders.set(resourceName, [name])
      else names.push(name)
    }
  }
  return holders
}
