import { boundPodRequest, isTerminal } from '@berth/resources'
import type { Pod } from '@berth/types'

/**
 * Finds the running pods that use extended resources.
 *
 * @returns By resource, the pods as `namespace/name`, sorted. A resource that no pod uses is absent.
 */
export function podsInUse(
  pods: readonly Pod[],
  resourceNames: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const running = pods
    .filter((pod) => pod.spec?.nodeName !== undefined && !isTerminal(pod))
    .map(({ metadata, ...pod }) => ({
      name: `${metadata.namespace ?? 'default'}/${metadata.name ?? ''}`,
      request: boundPodRequest({ metadata, ...pod }).scalar,
    }))
  const users = resourceNames.map((resourceName) => {
    const names = running.filter(({ request }) => (request.get(resourceName) ?? 0n) > 0n).map(({ name }) => name)
    return [resourceName, names.toSorted()] as const
  })
  return new Map(users.filter(([, names]) => names.length > 0))
}
