import type { ConfigMap, DeviceClass, Namespace, PodDisruptionBudget, Service, Workload } from './objects.ts'
import type {
  CsiDriver,
  CsiNode,
  CsiStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from './volume.ts'

/** Kinds of objects besides nodes and pods on which a decision can depend. */
export interface ClusterObjectKinds {
  readonly namespaces: Namespace
  readonly services: Service
  readonly replicationControllers: Workload
  readonly replicaSets: Workload
  readonly statefulSets: Workload
  readonly persistentVolumes: PersistentVolume
  readonly persistentVolumeClaims: PersistentVolumeClaim
  readonly storageClasses: StorageClass
  readonly csiNodes: CsiNode
  readonly csiDrivers: CsiDriver
  readonly csiStorageCapacities: CsiStorageCapacity
  readonly volumeAttachments: VolumeAttachment
  readonly podDisruptionBudgets: PodDisruptionBudget
  readonly deviceClasses: DeviceClass
  /** Only those that a plugin declares: see `configMaps` of a scheduling plugin. */
  readonly configMaps: ConfigMap
}

/** Name of a kind: the plural of its resource in camel case. */
export type ClusterObjectKind = keyof ClusterObjectKinds

/** Read access to the objects besides nodes and pods. A key is `namespace/name`, or `name` for cluster-scoped objects. */
export interface ClusterObjectsReader {
  /** Increases with each change of any kind. */
  readonly generation: number
  /** Increases with each change of the kind. */
  generationOf(kind: ClusterObjectKind): number
  /** Returns undefined when the object does not exist. */
  get<K extends ClusterObjectKind>(kind: K, key: string): ClusterObjectKinds[K] | undefined
  /** Returns all objects of the kind in no particular order. The list is immutable. */
  list<K extends ClusterObjectKind>(kind: K): readonly ClusterObjectKinds[K][]
}
