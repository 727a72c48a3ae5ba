import { resourceRefs, type Cluster, type Reflector, type ResourceRef } from '@berth/k8s-client'
import type { KubernetesObject } from '@berth/types'
import { eventually } from '@berth/testing'

/** Returns each object as `namespace/name uid@resourceVersion`, sorted. */
export function objectVersions(objects: Iterable<KubernetesObject>): readonly string[] {
  return [...objects]
    .map(({ metadata }) => `${metadata?.namespace}/${metadata?.name} ${metadata?.uid}@${metadata?.resourceVersion}`)
    .toSorted()
}

/** Waits until a reflector's store equals a fresh, consistent list. @throws UnmetExpectationError after the timeout. */
export async function waitUntilEqualToList(
  cluster: Cluster,
  reflector: Reflector<KubernetesObject>,
  resource: ResourceRef = resourceRefs.configMaps,
  timeoutMs: number = 60_000,
): Promise<readonly string[]> {
  const look = async (): Promise<readonly string[] | undefined> => {
    const { items } = await cluster.client.list(resource)
    const wanted = objectVersions(items)
    return JSON.stringify(objectVersions(reflector.store.values())) === JSON.stringify(wanted) ? wanted : undefined
  }
  const signal = new AbortController().signal
  return await eventually(look, { what: 'the store to equal a fresh list', timeoutMs, intervalMs: 200, signal })
}
