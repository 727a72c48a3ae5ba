import type { ClusterState } from '@berth/fit-engine'
import { isApiStatus, resourceRefs, type ApiClient, type ResourceRef } from '@berth/k8s-client'
import type { ClusterObjectKind, ClusterObjectKinds } from '@berth/types'

const storage = (plural: string, kind: string, namespaced = false): ResourceRef => ({
  group: 'storage.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced,
})

/** Kinds that filters and evictions depend on; workloads and services only change scores, and are many. */
const refs = {
  namespaces: resourceRefs.namespaces,
  persistentVolumes: resourceRefs.persistentVolumes,
  persistentVolumeClaims: resourceRefs.persistentVolumeClaims,
  storageClasses: resourceRefs.storageClasses,
  csiNodes: resourceRefs.csiNodes,
  csiDrivers: storage('csidrivers', 'CSIDriver'),
  csiStorageCapacities: storage('csistoragecapacities', 'CSIStorageCapacity', true),
  volumeAttachments: storage('volumeattachments', 'VolumeAttachment'),
  podDisruptionBudgets: resourceRefs.podDisruptionBudgets,
  deviceClasses: resourceRefs.deviceClasses,
} as const satisfies Partial<Record<ClusterObjectKind, ResourceRef>>

/**
 * Reads what a verdict depends on besides nodes and pods into the state. Kinds that the server lacks are empty.
 *
 * @returns Plurals of the kinds that this person may not list; the answer is then less certain.
 * @throws what the client throws for every other failed call.
 */
export async function readClusterObjects(
  client: ApiClient,
  state: ClusterState,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const read = async (kind: keyof typeof refs): Promise<string | undefined> => {
    try {
      const { items } = await client.list<ClusterObjectKinds[typeof kind]>(refs[kind], { signal })
      for (const item of items) state.objects.set(kind, item)
      return undefined
    } catch (error) {
      if (isApiStatus(error, 404)) return undefined
      if (isApiStatus(error, 403)) return refs[kind].plural
      throw error
    }
  }
  const missing = await Promise.all((Object.keys(refs) as (keyof typeof refs)[]).map((kind) => read(kind)))
  return missing.filter((plural) => plural !== undefined)
}
