import { isDeepStrictEqual } from 'node:util'
import { objectKey, type ClusterState } from '@berth/fit-engine'
import type { Cluster, Reflector } from '@berth/k8s-client'
import type { ClusterObjectKind, ClusterObjectKinds } from '@berth/types'
import type { ObjectChange } from './cluster-change.ts'
import { clusterObjectKinds, objectSources } from './object-kinds.ts'

/**
 * Mirrors every kind of `state.objects`. What an update changes in a part that nobody reads is no change.
 *
 * @returns The reflectors by kind.
 */
export function mirrorObjects(
  cluster: Pick<Cluster, 'reflect'>,
  state: ClusterState,
  tell: (change: ObjectChange) => void,
): ReadonlyMap<ClusterObjectKind, Reflector<ClusterObjectKinds[ClusterObjectKind]>> {
  const mirror = <K extends ClusterObjectKind>(resource: K): Reflector<ClusterObjectKinds[K]> => {
    type Kind = ClusterObjectKinds[K]
    const { ref, project, mayBeAbsent = false } = objectSources[resource]
    const reflector = cluster.reflect<Kind>(ref, { project, mayBeAbsent })
    const change = (kind: ObjectChange['kind'], object: Kind, old?: Kind): void =>
      tell({ kind, resource, object, ...(old !== undefined && { old }) } as ObjectChange)
    reflector.subscribe({
      onAdd(object) {
        state.objects.set(resource, object)
        change('object-added', object)
      },
      onUpdate(old, object) {
        if (isDeepStrictEqual(old, object)) return
        state.objects.set(resource, object)
        change('object-updated', object, old)
      },
      onDelete(object) {
        state.objects.delete(resource, objectKey(object.metadata))
        change('object-deleted', object)
      },
    })
    return reflector
  }
  return new Map(clusterObjectKinds.map((kind) => [kind, mirror(kind)]))
}
