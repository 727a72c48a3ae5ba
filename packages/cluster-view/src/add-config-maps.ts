import type { ClusterState } from '@berth/fit-engine'
import { type ApiClient, isApiStatus } from '@berth/k8s-client'
import type { ConfigMap } from '@berth/types'
import { selectionOf } from './object-selection.ts'
import { objectSources } from './object-sources.ts'

/**
 * Reads ConfigMaps into the state of a snapshot, for plugins that are known only after the snapshot was taken. Skips a
 * ConfigMap that does not exist.
 *
 * @param configMaps - `namespace/name`.
 * @returns The ConfigMaps that this identity may not list.
 * @throws ApiError, TransportError for every other failed call
 */
export async function addConfigMaps(
  client: Pick<ApiClient, 'list'>,
  { objects }: Pick<ClusterState, 'objects'>,
  configMaps: Iterable<string>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { ref, project } = objectSources.configMaps
  const refused = await Promise.all(
    [...configMaps].map(async (key) => {
      try {
        const { items } = await client.list<ConfigMap>(ref, { ...selectionOf(key), signal })
        for (const item of items) objects.set('configMaps', project(item))
        return []
      } catch (error) {
        if (!isApiStatus(error, 403)) throw error
        return [key]
      }
    }),
  )
  return refused.flat()
}
