import type { ClusterSnapshot } from '@berth/cluster-view'
import { isTerminal } from '@berth/resources'
import type { Pod, Workload } from '@berth/types'
import { controllerOf } from '../explain/controller-of.ts'
import type { NamedSubject } from '../explain/subjects/named-subjects.ts'

/** The objects that tell which pods belong to a workload. */
export interface OwnedObjects {
  readonly snapshot: Pick<ClusterSnapshot, 'pods'>
  readonly namespace: string
  /** Needed for Deployments. */
  readonly replicaSets: readonly Workload[]
}

/**
 * Returns the pods of a subject: the pod itself, or those that the workload controls, directly or through its ReplicaSets. Pods
 * that have ended are left out.
 */
export function podsOfSubject(
  { resource, name }: NamedSubject,
  { snapshot, namespace, replicaSets }: OwnedObjects,
): readonly Pod[] {
  const near = snapshot.pods.filter((pod) => (pod.metadata.namespace ?? 'default') === namespace && !isTerminal(pod))
  if (resource.plural === 'pods') return near.filter(({ metadata }) => metadata.name === name)
  const isOwnedBy = ({ metadata }: Pod | Workload, kind: string, owner: string | undefined): boolean => {
    const controller = controllerOf(metadata.ownerReferences)
    return controller?.kind === kind && controller.name === owner
  }
  const own = replicaSets.filter(
    (set) => (set.metadata.namespace ?? 'default') === namespace && isOwnedBy(set, resource.kind, name),
  )
  return near.filter(
    (pod) =>
      isOwnedBy(pod, resource.kind, name) || own.some(({ metadata }) => isOwnedBy(pod, 'ReplicaSet', metadata.name)),
  )
}
