import type { ClusterReader, Pod } from '@berth/types'

/**
 * Returns those of the resources that the pod requests, each with its `units`: whole units, cpu in milli. Empty if it
 * requests none of them.
 */
export function requestedResources<Resource extends { readonly name: string }>(
  pod: Pod,
  resources: readonly Resource[],
  cluster: Pick<ClusterReader, 'requestOf'>,
): readonly (Resource & { readonly units: bigint })[] {
  return resources.flatMap((resource) => {
    const units = cluster.requestOf(pod, resource.name)
    return units > 0n ? [{ ...resource, units }] : []
  })
}
