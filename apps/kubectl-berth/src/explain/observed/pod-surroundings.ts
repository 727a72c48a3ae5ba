import { resourceRefs, type ApiClient, type ListOptions, type ResourceRef } from '@berth/k8s-client'
import { isBound } from '@berth/resources'
import { schedulerNameOf } from '@berth/scheduler-config'
import type { Lease, Pod } from '@berth/types'
import { coreEvents, type CoreEvent } from './core-event.ts'

/** The objects of the API server that tell about a pod, besides those that a decision depends on. */
export interface PodSurroundings {
  readonly podEvents: readonly CoreEvent[]
  /** Leases with the names that were asked for; empty for a pod that has a node. */
  readonly leases: readonly Lease[]
  /** Events that a scheduler of the pod's schedulerName wrote; empty for a pod that has a node. */
  readonly schedulerEvents: readonly CoreEvent[]
  /** Plurals of the types that could not be read, so that their absence proves nothing. */
  readonly unread: readonly string[]
}

/**
 * Reads the events of a pod and, for a pod without a node, the signs of its scheduler. A type that cannot be read is
 * empty and named in `unread`: the answer is then less certain, but not lost.
 *
 * @param options.leaseNames - Names of the Leases that the pod's scheduler may hold, in any namespace.
 */
export async function readSurroundings(
  client: Pick<ApiClient, 'list'>,
  pod: Pod,
  { leaseNames, signal }: { readonly leaseNames: readonly string[]; readonly signal: AbortSignal },
): Promise<PodSurroundings> {
  const unread = new Set<string>()
  const list = async <T>(resource: ResourceRef, options: ListOptions): Promise<readonly T[]> => {
    try {
      return (await client.list<T>(resource, { ...options, signal })).items
    } catch {
      signal.throwIfAborted()
      unread.add(resource.plural)
      return []
    }
  }
  const { name = '', namespace = 'default', uid } = pod.metadata
  const about = uid === undefined ? `involvedObject.name=${name}` : `involvedObject.uid=${uid}`
  const needsScheduler = !isBound(pod)
  const [podEvents, schedulerEvents, ...leases] = await Promise.all([
    list<CoreEvent>(coreEvents, { namespace, fieldSelector: about }),
    needsScheduler ? list<CoreEvent>(coreEvents, { fieldSelector: `reportingComponent=${schedulerNameOf(pod)}` }) : [],
    ...leaseNames.map((lease) =>
      needsScheduler ? list<Lease>(resourceRefs.leases, { fieldSelector: `metadata.name=${lease}` }) : [],
    ),
  ])
  return { podEvents, leases: leases.flat(), schedulerEvents, unread: [...unread] }
}
