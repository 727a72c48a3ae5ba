import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import { resourceUsers } from '@berth/resources'
import type { Pod } from '@berth/types'
import type { ReadHeldUnits } from './query-source.ts'

/**
 * Lists the pods that are bound to a node.
 *
 * @throws Errors of the client.
 */
export async function podsOnNode(
  client: Pick<ApiClient, 'list'>,
  nodeName: string,
  signal?: AbortSignal,
): Promise<readonly Pod[]> {
  const { items } = await client.list<Pod>(resourceRefs.pods, {
    fieldSelector: `spec.nodeName=${nodeName}`,
    ...(signal !== undefined && { signal }),
  })
  return items
}

/** Creates a function that sums up what the running pods on a node request. It lists them at each call. */
export function createHeldUnitsReader(client: Pick<ApiClient, 'list'>): ReadHeldUnits {
  return async (nodeName, resourceName, signal) => {
    const users = resourceUsers(await podsOnNode(client, nodeName, signal), resourceName)
    return users.reduce((sum, { units }) => sum + units, 0n)
  }
}
