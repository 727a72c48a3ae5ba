import { isDeepStrictEqual } from 'node:util'
import { objectKey, type ClusterState } from '@berth/fit-engine'
import type { Cluster, Reflector } from '@berth/k8s-client'
import type { ClusterObjectKind, ClusterObjectKinds } from '@berth/types'
import type { AssumedObjects } from './assumed-objects.ts'
import type { ObjectChange } from './cluster-change.ts'
import { type CompleteKind, completeKinds, objectSources } from './object-sources.ts'
import { type ObjectSelection, selectionOf } from './object-selection.ts'

type ObjectReflector = Reflector<ClusterObjectKinds[ClusterObjectKind]>

/** The reflectors of all objects besides nodes and pods. */
export interface ObjectMirrors {
  readonly byKind: ReadonlyMap<CompleteKind, ObjectReflector>
  /** By `namespace/name` of the ConfigMap. */
  readonly configMaps: ReadonlyMap<string, ObjectReflector>
}

/** Options of {@link mirrorObjects}. */
export interface MirrorOptions {
  readonly cluster: Pick<Cluster, 'reflect'>
  readonly state: ClusterState
  /** The ConfigMaps to mirror, as `namespace/name`. */
  readonly configMaps: Iterable<string>
  /** Receives every version that replaces an assumed object. */
  readonly assumed: Pick<AssumedObjects, 'drop'>
  readonly notify: (change: ObjectChange) => void
}

/**
 * Mirrors every kind of `state.objects`; of ConfigMaps, only those that are named. Ignores an update when only fields
 * that the projection drops have changed.
 */
export function mirrorObjects({ cluster, state, configMaps, assumed, notify }: MirrorOptions): ObjectMirrors {
  const mirror = <K extends ClusterObjectKind>(
    resource: K,
    only: ObjectSelection = {},
  ): Reflector<ClusterObjectKinds[K]> => {
    type Kind = ClusterObjectKinds[K]
    const { ref, project, mayBeAbsent = false } = objectSources[resource]
    const reflector = cluster.reflect<Kind>(ref, { project, mayBeAbsent, ...only })
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
  return {
    byKind: new Map(completeKinds.map((kind) => [kind, mirror(kind)])),
    configMaps: new Map([...configMaps].map((key) => [key, mirror('configMaps', selectionOf(key))])),
  }
}
