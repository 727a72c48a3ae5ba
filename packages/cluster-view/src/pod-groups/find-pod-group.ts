import { readPodGroup } from '@berth/fit-engine'
import type { Cluster } from '@berth/k8s-client'
import type { PodGroup, PodGroupRef } from '@berth/types'
import { POD_GROUPS, podGroupApis, podGroupResource } from './pod-group-apis.ts'

/** The result of reading one group. */
export interface FoundPodGroup {
  /** Whether the cluster serves pod groups in a version that Berth reads. */
  readonly isServed: boolean
  /** Undefined when the API is not served or the group does not exist. */
  readonly group: PodGroup | undefined
}

/**
 * Reads one pod group, without a watch.
 *
 * @throws StateError BERTH_FIT_UNREADABLE for a bad group; ApiError, TransportError for a failed call
 */
export async function findPodGroup(
  { client, servedResources }: Pick<Cluster, 'client' | 'servedResources'>,
  { api, namespace, name }: PodGroupRef,
  signal: AbortSignal,
): Promise<FoundPodGroup> {
  for (const version of podGroupApis.find((each) => each.api === api)?.versions ?? []) {
    const resources = await servedResources(`${api}/${version}`, { signal })
    if (!resources.has(POD_GROUPS)) continue
    const found = await client.find(podGroupResource(api, version), { namespace, name }, { signal })
    return { isServed: true, group: found && readPodGroup(found, api, version) }
  }
  return { isServed: false, group: undefined }
}
