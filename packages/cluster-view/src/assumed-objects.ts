import { objectKey, type ClusterState } from '@berth/fit-engine'
import type { ClusterObjectKind, ClusterObjectKinds } from '@berth/types'

/** Returns an object as the API server last sent it. */
export type FindApiObject = <K extends ClusterObjectKind>(kind: K, key: string) => ClusterObjectKinds[K] | undefined

/**
 * Objects that the state shows as they will be after a write. When the API server sends a version other than the one
 * that the write is based on, that version always replaces the assumed one.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding/passive_assume_cache.go (v1.36)
 */
export interface AssumedObjects {
  /**
   * Shows the changed object in the state. Does nothing, and returns false, when the object is gone or no longer has the
   * resourceVersion on which the change is based.
   */
  assume<K extends ClusterObjectKind>(kind: K, object: ClusterObjectKinds[K]): boolean
  /**
   * Shows the API server's version again. Returns false, and leaves the state as it is, when no assumption is based on
   * this resourceVersion or the object is gone.
   */
  restore<K extends ClusterObjectKind>(kind: K, object: ClusterObjectKinds[K]): boolean
  /** Ends an assumption because the API server sent another version. The caller puts that version into the state. */
  drop(kind: ClusterObjectKind, key: string): void
  readonly size: number
}

/** Creates an empty set of assumptions over `state`. */
export function createAssumedObjects(state: ClusterState, find: FindApiObject): AssumedObjects {
  const versions = new Map<string, string | undefined>()
  const idOf = (kind: ClusterObjectKind, key: string): string => `${kind} ${key}`
  return {
    assume(kind, object) {
      const key = objectKey(object.metadata)
      const { resourceVersion } = object.metadata
      const current = find(kind, key)
      if (current === undefined || current.metadata.resourceVersion !== resourceVersion) return false
      versions.set(idOf(kind, key), resourceVersion)
      state.objects.set(kind, object)
      return true
    },
    restore(kind, object) {
      const key = objectKey(object.metadata)
      const id = idOf(kind, key)
      if (!versions.has(id) || versions.get(id) !== object.metadata.resourceVersion) return false
      versions.delete(id)
      const current = find(kind, key)
      if (current !== undefined) state.objects.set(kind, current)
      return current !== undefined
    },
    drop: (kind, key) => void versions.delete(idOf(kind, key)),
    get size() {
      return versions.size
    },
  }
}
