import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import type { Pod } from '@berth/types'

/** Lists the pods that are bound to a node. */
export async function listPodsOnNode(
  client: ApiClient,
  nodeName: string,
  signal?: AbortSignal,
): Promise<readonly Pod[]> {
  const { items } = await client.list<Pod>(resourceRefs.pods, {
    fieldSelector: `spec.nodeName=${nodeName}`,
    ...(signal !== undefined && { signal }),
  })
  return items
}
