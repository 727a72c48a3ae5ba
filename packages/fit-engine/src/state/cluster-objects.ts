import type { ClusterObjectKind, ClusterObjectKinds, ClusterObjectsReader, ObjectMeta } from '@berth/types'
import { LayeredMap } from './layered-map.ts'

/** Objects other than nodes and pods that decisions depend on. They may be set and deleted in any order. */
export interface ClusterObjects extends ClusterObjectsReader {
  /** Adds the object, or replaces the object with the same key. */
  set<K extends ClusterObjectKind>(kind: K, object: ClusterObjectKinds[K]): void
  /** Removes the object. Does nothing when there is no such object. */
  delete(kind: ClusterObjectKind, key: string): void
}

/** Returns the object's key: `namespace/name`, or `name` for an object without a namespace. */
export function objectKey({ namespace, name = '' }: ObjectMeta): string {
  return namespace == null || namespace === '' ? name : `${namespace}/${name}`
}

/** The objects of one kind, by key. */
class ObjectCollection<T extends object> {
  generation = 0
  #objects = new LayeredMap<T>()
  /** Built on demand and kept until the next change. */
  #list: readonly T[] | undefined

  get(key: string): T | undefined {
    return this.#objects.get(key)
  }

  set(key: string, object: T): void {
    this.generation += 1
    this.#list = undefined
    this.#objects.set(key, object)
  }

  delete(key: string): boolean {
    if (this.#objects.get(key) === undefined) return false
    this.generation += 1
    this.#list = undefined
    this.#objects.delete(key)
    return true
  }

  list(): readonly T[] {
    return (this.#list ??= [...this.#objects.values()])
  }

  copy(): ObjectCollection<T> {
    const copy = new ObjectCollection<T>()
    copy.generation = this.generation
    copy.#objects = this.#objects.copy()
    copy.#list = this.#list
    return copy
  }
}

type Collections = { readonly [K in ClusterObjectKind]: ObjectCollection<ClusterObjectKinds[K]> }

function createCollections(
  make: <K extends ClusterObjectKind>(kind: K) => ObjectCollection<ClusterObjectKinds[K]>,
): Collections {
  return {
    namespaces: make('namespaces'),
    services: make('services'),
    replicationControllers: make('replicationControllers'),
    replicaSets: make('replicaSets'),
    statefulSets: make('statefulSets'),
    persistentVolumes: make('persistentVolumes'),
    persistentVolumeClaims: make('persistentVolumeClaims'),
    storageClasses: make('storageClasses'),
    csiNodes: make('csiNodes'),
    csiDrivers: make('csiDrivers'),
    csiStorageCapacities: make('csiStorageCapacities'),
    volumeAttachments: make('volumeAttachments'),
    podDisruptionBudgets: make('podDisruptionBudgets'),
    deviceClasses: make('deviceClasses'),
    configMaps: make('configMaps'),
  }
}

/** Implements {@link ClusterObjects}. A copy shares the unchanged objects with the original. */
export class ClusterObjectStore implements ClusterObjects {
  generation = 0
  #collections: Collections = createCollections(() => new ObjectCollection())

  generationOf(kind: ClusterObjectKind): number {
    return this.#collections[kind].generation
  }

  get<K extends ClusterObjectKind>(kind: K, key: string): ClusterObjectKinds[K] | undefined {
    return this.#collections[kind].get(key)
  }

  list<K extends ClusterObjectKind>(kind: K): readonly ClusterObjectKinds[K][] {
    return this.#collections[kind].list()
  }

  set<K extends ClusterObjectKind>(kind: K, object: ClusterObjectKinds[K]): void {
    this.generation += 1
    this.#collections[kind].set(objectKey(object.metadata), object)
  }

  delete(kind: ClusterObjectKind, key: string): void {
    if (this.#collections[kind].delete(key)) this.generation += 1
  }

  copy(): ClusterObjectStore {
    const copy = new ClusterObjectStore()
    copy.generation = this.generation
    copy.#collections = createCollections((kind) => this.#collections[kind].copy())
    return copy
  }
}
