import type { ApiObject, Store } from '@berth/embedded-api-server'

/** Collection and key of a stored object. */
export interface StoredObjectRef {
  readonly storage: string
  readonly key: string
}

/** Finds the dependents of owners, by uid. */
export interface OwnerIndex {
  exists(uid: string): boolean
  dependentsOf(uid: string): readonly StoredObjectRef[]
  /** Returns the objects of one collection that have `uid` as an owner. */
  ownedObjects(uid: string, storage: string): readonly ApiObject[]
  close(): void
}

/** Creates an index of the store's content, and keeps it up to date. */
export function createOwnerIndex(store: Store, storages: readonly string[]): OwnerIndex {
  const live = new Set<string>()
  const dependents = new Map<string, Map<string, StoredObjectRef>>()

  const add = (storage: string, key: string, object: ApiObject): void => {
    live.add(object.metadata.uid ?? '')
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const refs = dependents.get(uid) ?? new Map<string, StoredObjectRef>()
      dependents.set(uid, refs.set(`${storage} ${key}`, { storage, key }))
    }
  }
  const remove = (storage: string, key: string, object: ApiObject): void => {
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const refs = dependents.get(uid)
      refs?.delete(`${storage} ${key}`)
      if (refs?.size === 0) dependents.delete(uid)
    }
  }

  for (const storage of storages) {
    const collection = store.collection(storage)
    for (const object of collection.list()) {
      const { namespace, name = '' } = object.metadata
      add(storage, namespace === undefined ? name : `${namespace}/${name}`, object)
    }
  }
  const close = store.subscribe((storage, { type, key, object, previous }) => {
    if (previous !== undefined) remove(storage, key, previous)
    if (type === 'DELETED') live.delete(object.metadata.uid ?? '')
    else add(storage, key, object)
  })
  const dependentsOf = (uid: string): readonly StoredObjectRef[] => [...(dependents.get(uid)?.values() ?? [])]
  return {
    exists: (uid) => live.has(uid),
    dependentsOf,
    ownedObjects: (uid, storage) =>
      dependentsOf(uid).flatMap((ref) =>
        ref.storage === storage ? (store.collection(storage).get(ref.key) ?? []) : [],
      ),
    close,
  }
}
