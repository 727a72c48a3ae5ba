import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import type { OwnerReference, Pod, Workload } from '@berth/types'

/** Kinds that `kubectl set resources` can change. */
const changeable: ReadonlySet<string> = new Set([
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'Job',
  'CronJob',
])

/**
 * Returns the workload that created a pod, as kubectl names it: `deployment/web`.
 *
 * @returns undefined for a pod without a workload, or with one that `kubectl set resources` cannot change.
 */
export async function findWorkload(client: ApiClient, pod: Pod, signal: AbortSignal): Promise<string | undefined> {
  const owner = controllerOf(pod.metadata.ownerReferences)
  if (owner === undefined || !changeable.has(owner.kind)) return undefined
  if (owner.kind !== 'ReplicaSet') return nameOf(owner)
  const target = { namespace: pod.metadata.namespace, name: owner.name }
  // A user without access to ReplicaSets still gets a useful answer.
  const set = await client.find<Workload>(resourceRefs.replicaSets, target, { signal }).catch(() => undefined)
  return nameOf(controllerOf(set?.metadata.ownerReferences) ?? owner)
}

function controllerOf(owners: readonly OwnerReference[] | undefined): OwnerReference | undefined {
  return owners?.find(({ controller }) => controller === true)
}

function nameOf({ kind, name }: OwnerReference): string {
  return `${kind.toLowerCase()}/${name}`
}
