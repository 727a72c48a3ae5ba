/** The device ids that the resources of this node offer. The kubelet confuses devices with the same id. */
export interface DeviceIds {
  /** Records that a resource offers the id, and calls the listeners of the other resources that offer it. */
  add(resourceName: string, id: string): void
  /** Records that a resource no longer offers the id, and calls the listeners of the other resources that offer it. */
  remove(resourceName: string, id: string): void
  /** Returns another resource that offers the id; undefined if there is none. */
  otherOwner(resourceName: string, id: string): string | undefined
  /** Calls `listener` when another resource starts or stops to offer an id of this resource. */
  onCollision(resourceName: string, listener: (id: string) => void): void
}

/** Creates an empty collection. */
export function createDeviceIds(): DeviceIds {
  const ownersById = new Map<string, Set<string>>()
  const listeners = new Map<string, (id: string) => void>()
  const notifyOthers = (resourceName: string, id: string): void => {
    for (const other of ownersById.get(id) ?? []) if (other !== resourceName) listeners.get(other)?.(id)
  }

  return {
    add(resourceName, id) {
      const owners = ownersById.get(id)
      if (owners?.has(resourceName) === true) return
      if (owners === undefined) ownersById.set(id, new Set([resourceName]))
      else owners.add(resourceName)
      notifyOthers(resourceName, id)
    },
    remove(resourceName, id) {
      const owners = ownersById.get(id)
      if (owners?.delete(resourceName) !== true) return
      if (owners.size === 0) ownersById.delete(id)
      notifyOthers(resourceName, id)
    },
    otherOwner(resourceName, id) {
      for (const owner of ownersById.get(id) ?? []) if (owner !== resourceName) return owner
      return undefined
    },
    onCollision: (resourceName, listener) => void listeners.set(resourceName, listener),
  }
}
