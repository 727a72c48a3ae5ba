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

/** Reads what surrounds pods. */
export interface SurroundingsReader {
  /**
   * Reads the events of a pod and, for a pod without a node, the signs of its scheduler.
   *
   * @param leaseNames - Names of the Leases that the pod's scheduler may hold, in any namespace.
   */
  read(pod: Pod, leaseNames: readonly string[]): Promise<PodSurroundings>
}

/**
 * Returns a reader for these pods. Several pods of a namespace share one list of events, and pods of one scheduler share
 * its signs. A type that cannot be read is empty and named in `unread`: the answer is then less certain, but not lost.
 */
export function surroundingsReader(
  client: Pick<ApiClient, 'list'>,
  pods: readonly Pod[],
  signal: AbortSignal,
): SurroundingsReader {
  const unread = new Set<string>()
  const lists = new Map<string, Promise<readonly unknown[]>>()
  const list = <T>(resource: ResourceRef, options: ListOptions): Promise<readonly T[]> => {
    const key = JSON.stringify([resource.plural, options])
    let items = lists.get(key)
    if (items === undefined) {
      items = client.list<T>(resource, { ...options, signal }).then(
        (answer) => answer.items,
        () => {
          signal.throwIfAborted()
          unread.add(resource.plural)
          return []
        },
      )
      lists.set(key, items)
    }
    return items as Promise<readonly T[]>
  }
  const podCounts = Map.groupBy(pods, namespaceOf)
  const eventsOf = async (pod: Pod): Promise<readonly CoreEvent[]> => {
    const { name = '', uid } = pod.metadata
    const namespace = namespaceOf(pod)
    if ((podCounts.get(namespace)?.length ?? 0) <= 1) {
      const about = uid === undefined ? `involvedObject.name=${name}` : `involvedObject.uid=${uid}`
      return list(coreEvents, { namespace, fieldSelector: about })
    }
    const all = await list<CoreEvent>(coreEvents, { namespace, fieldSelector: 'involvedObject.kind=Pod' })
    return all.filter(({ involvedObject }) =>
      uid === undefined ? involvedObject?.name === name : involvedObject?.uid === uid,
    )
  }
  return {
    async read(pod, leaseNames) {
      const needsScheduler = !isBound(pod)
      const writer = `reportingComponent=${schedulerNameOf(pod)}`
      const [podEvents, schedulerEvents, ...leases] = await Promise.all([
        eventsOf(pod),
        needsScheduler ? list<CoreEvent>(coreEvents, { fieldSelector: writer }) : [],
        ...leaseNames.map((lease) =>
          needsScheduler ? list<Lease>(resourceRefs.leases, { fieldSelector: `metadata.name=${lease}` }) : [],
        ),
      ])
      return { podEvents, leases: leases.flat(), schedulerEvents, unread: [...unread] }
    },
  }
}

function namespaceOf({ metadata }: Pod): string {
  return metadata.namespace ?? 'default'
}
