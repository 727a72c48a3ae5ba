import type { ClusterObjectKind, ClusterObjectKinds, ClusterObjectsReader, ObjectMeta } from '@berth/types'
import { LayeredMap } from './layered-map.ts'

/** Objects besides nodes and pods that decisions depend on. They may come and go in any order. */
export interface ClusterObjects extends ClusterObjectsReader {
  /** Adds the object, or replaces what is known under its key. */
  set<K extends ClusterObjectKind>(kind: K, object: ClusterObjectKinds[K]): void
  /** Removes the object; does nothing when it is not there. */
  delete(kind: ClusterObjectKind, key: string): void
}

/** The key of an object: `namespace/name`, or `name` where there is no namespace. */
export function objectKey({ namespace, name = '' }: ObjectMeta): string {
  return namespace == null || namespace === '' ? name : `${namespace}/${name}`
}

/** Objects of one kind. */
class Shelf<T extends object> {
  generation = 0
  #objects = new LayeredMap<T>()
  /** Made when somebody asks, kept until the next change. */
  #list: readonly T[] | undefined

  get(key: string): T | undefined {
    return this.#objects.get(key)
  }

  put(key: string, object: T): void {
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

  copy(): Shelf<T> {
    const copy = new Shelf<T>()
    copy.generation = this.generation
    copy.#objects = this.#objects.copy()
    copy.#list = this.#list
    return copy
  }
}

type Shelves = { readonly [K in ClusterObjectKind]: Shelf<ClusterObjectKinds[K]> }

function shelves(make: <K extends ClusterObjectKind>(kind: K) => Shelf<ClusterObjectKinds[K]>): Shelves {
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
  }
}

/** The store behind {@link ClusterObjects}; a copy shares what it has in common with the original. */
export class ClusterObjectStore implements ClusterObjects {
  generation = 0
  #shelves: Shelves = shelves(() => new Shelf())

  generationOf(kind: ClusterObjectKind): number {
    return this.#shelves[kind].generation
  }

  get<K extends ClusterObjectKind>(kind: K, key: string): ClusterObjectKinds[K] | undefined {
    return this.#shelves[kind].get(key)
  }

  list<K extends ClusterObjectKind>(kind: K): readonly ClusterObjectKinds[K][] {
    return this.#shelves[kind].list()
  }

  set<K extends ClusterObjectKind>(kind: K, object: ClusterObjectKinds[K]): void {
    this.generation += 1
    this.#shelves[kind].put(objectKey(object.metadata), object)
  }

  delete(kind: ClusterObjectKind, key: string): void {
    if (this.#shelves[kind].delete(key)) this.generation += 1
  }

  copy(): ClusterObjectStore {
    const copy = new ClusterObjectStore()
    copy.generation = this.generation
    copy.#shelves = shelves((kind) => this.#shelves[kind].copy())
    return copy
  }
}
