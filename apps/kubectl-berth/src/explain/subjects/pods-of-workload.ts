import type { Pod, Workload } from '@berth/types'
import { controllerOf } from '../controller-of.ts'

/**
 * Returns the pods that a workload controls, directly or through its ReplicaSets.
 *
 * @param replicaSets - The ReplicaSets of the namespace.
 */
export function podsOfWorkload(
  { metadata }: Workload,
  { pods, replicaSets }: { readonly pods: readonly Pod[]; readonly replicaSets: readonly Workload[] },
): readonly Pod[] {
  const owners = new Set([
    metadata.uid,
    ...replicaSets
      .filter((set) => controllerOf(set.metadata.ownerReferences)?.uid === metadata.uid)
      .map((set) => set.metadata.uid),
  ])
  return pods.filter((pod) => owners.has(controllerOf(pod.metadata.ownerReferences)?.uid ?? ''))
}
