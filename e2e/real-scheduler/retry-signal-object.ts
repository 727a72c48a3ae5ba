import { type ApiClient, resourceRefs } from '@berth/k8s-client'
import type { KubernetesObject } from '@berth/types'

/**
 * Creates the CSIStorageCapacity object that the chart creates for the extender.
 *
 * @returns The value of `retrySignal` in the extender's configuration.
 */
export async function createRetrySignalObject(client: Pick<ApiClient, 'create'>): Promise<string> {
  const metadata = { namespace: 'kube-system', name: 'berth-extender-retry' }
  await client.create<KubernetesObject>(resourceRefs.csiStorageCapacities, {
    metadata,
    storageClassName: 'none',
  } as KubernetesObject)
  return `${metadata.namespace}/${metadata.name}`
}
