/** The device ids that the resources of this node offer. The kubelet confuses devices with the same id. */
export interface DeviceIds {
  /** Replaces the ids of a resource, and calls the listeners of the resources whose collisions changed. */
  set(resourceName: string, ids: ReadonlySet<string>): void
  /** Returns another resource that offers the id; undefined if there is none. */
  otherOwner(resourceName: string, id: string): string | undefined
  /** Calls `listener` when another resource starts or stops to offer an id of this resource. */
  onCollision(resourceName: string, listener: () => void): void
}

/** Creates an empty collection. */
export function createDeviceIds(): DeviceIds {
  const idsByResource = new Map<string, ReadonlySet<string>>()
  const listeners = new Map<string, () => void>()
  return {
    set(resourceName, ids) {
      const before = idsByResource.get(resourceName) ?? new Set()
      const changed = before.symmetricDifference(ids)
      idsByResource.set(resourceName, ids)
      if (changed.size === 0) return
      for (const [other, otherIds] of idsByResource) {
        if (other !== resourceName && !changed.isDisjointFrom(otherIds)) listeners.get(other)?.()
      }
    },
    otherOwner(resourceName, id) {
      for (const [other, ids] of idsByResource) if (other !== resourceName && ids.has(id)) return other
      return undefined
    },
    onCollision: (resourceName, listener) => void listeners.set(resourceName, listener),
  }
}
