import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import type { OwnerReference, Pod, Workload } from '@berth/types'
import { controllerOf } from './controller-of.ts'

/**
 * Returns the workload that created a pod, such as the Deployment above its ReplicaSet.
 *
 * @returns undefined for a pod without a controller.
 */
export async function findWorkload(
  client: ApiClient,
  pod: Pod,
  signal: AbortSignal,
): Promise<OwnerReference | undefined> {
  const owner = controllerOf(pod.metadata.ownerReferences)
  if (owner?.kind !== 'ReplicaSet') return owner
  const target = { namespace: pod.metadata.namespace, name: owner.name }
  // A user without access to ReplicaSets still gets a useful answer.
  const set = await client.find<Workload>(resourceRefs.replicaSets, target, { signal }).catch(() => undefined)
  return controllerOf(set?.metadata.ownerReferences) ?? owner
}
