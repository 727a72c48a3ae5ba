import type { ApiObject, Store } from '@berth/embedded-api-server'

/** Where an object lies. */
export interface Place {
  readonly storage: string
  readonly key: string
}

/** Which objects exist, by uid, and which of them an owner has. */
export interface OwnerIndex {
  exists(uid: string): boolean
  dependentsOf(uid: string): readonly Place[]
  /** The objects of one storage that name `uid` as an owner. */
  ownedObjects(uid: string, storage: string): readonly ApiObject[]
  close(): void
}

/** Follows the store from its present content on. */
export function createOwnerIndex(store: Store, storages: readonly string[]): OwnerIndex {
  const live = new Set<string>()
  const dependents = new Map<string, Map<string, Place>>()

  const note = (storage: string, key: string, object: ApiObject): void => {
    live.add(object.metadata.uid ?? '')
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const places = dependents.get(uid) ?? new Map<string, Place>()
      dependents.set(uid, places.set(`${storage} ${key}`, { storage, key }))
    }
  }
  const forget = (storage: string, key: string, object: ApiObject): void => {
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const places = dependents.get(uid)
      places?.delete(`${storage} ${key}`)
      if (places?.size === 0) dependents.delete(uid)
    }
  }

  for (const storage of storages) {
    const collection = store.collection(storage)
    for (const object of collection.list()) {
      const { namespace, name = '' } = object.metadata
      note(storage, namespace === undefined ? name : `${namespace}/${name}`, object)
    }
  }
  const close = store.subscribe((storage, { type, key, object, previous }) => {
    if (previous !== undefined) forget(storage, key, previous)
    if (type === 'DELETED') live.delete(object.metadata.uid ?? '')
    else note(storage, key, object)
  })
  const dependentsOf = (uid: string): readonly Place[] => [...(dependents.get(uid)?.values() ?? [])]
  return {
    exists: (uid) => live.has(uid),
    dependentsOf,
    ownedObjects: (uid, storage) =>
      dependentsOf(uid).flatMap((place) =>
        place.storage === storage ? (store.collection(storage).get(place.key) ?? []) : [],
      ),
    close,
  }
}
