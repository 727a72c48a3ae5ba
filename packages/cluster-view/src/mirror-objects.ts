import { isDeepStrictEqual } from 'node:util'
import { objectKey, type ClusterState } from '@berth/fit-engine'
import type { Cluster, Reflector } from '@berth/k8s-client'
import type { ClusterObjectKind, ClusterObjectKinds } from '@berth/types'
import type { AssumedObjects } from './assumed-objects.ts'
import type { ObjectChange } from './cluster-change.ts'
import { clusterObjectKinds, objectSources } from './object-sources.ts'

/**
 * Mirrors every kind of `state.objects`. Updates that only change fields which the projection drops are ignored.
 *
 * @param assumed - Is told of every version that replaces an assumed object.
 * @returns The reflectors by kind.
 */
export function mirrorObjects(
  cluster: Pick<Cluster, 'reflect'>,
  state: ClusterState,
  assumed: Pick<AssumedObjects, 'drop'>,
  notify: (change: ObjectChange) => void,
): ReadonlyMap<ClusterObjectKind, Reflector<ClusterObjectKinds[ClusterObjectKind]>> {
  const mirror = <K extends ClusterObjectKind>(resource: K): Reflector<ClusterObjectKinds[K]> => {
    type Kind = ClusterObjectKinds[K]
    const { ref, project, mayBeAbsent = false } = objectSources[resource]
    const reflector = cluster.reflect<Kind>(ref, { project, mayBeAbsent })
    const notifyOf = (kind: ObjectChange['kind'], object: Kind, old?: Kind): void =>
      notify({ kind, resource, object, ...(old !== undefined && { old }) } as ObjectChange)
    const replaceAssumed = (object: Kind): void => assumed.drop(resource, objectKey(object.metadata))
    reflector.subscribe({
      onAdd(object) {
        replaceAssumed(object)
        state.objects.set(resource, object)
        notifyOf('object-added', object)
      },
      onUpdate(old, object) {
        if (isDeepStrictEqual(old, object)) return
        replaceAssumed(object)
        state.objects.set(resource, object)
        notifyOf('object-updated', object, old)
      },
      onDelete(object) {
        replaceAssumed(object)
        state.objects.delete(resource, objectKey(object.metadata))
        notifyOf('object-deleted', object)
      },
    })
    return reflector
  }
  return new Map(clusterObjectKinds.map((kind) => [kind, mirror(kind)]))
}
