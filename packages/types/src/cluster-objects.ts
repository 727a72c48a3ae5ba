import type { DeviceClass, Namespace, PodDisruptionBudget, Service, Workload } from './objects.ts'
import type {
  CsiDriver,
  CsiNode,
  CsiStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from './volume.ts'

/** What a cluster holds besides nodes and pods, as far as a decision can depend on it: kind -> object. */
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
}

/** Name of a kind: the plural of its resource in camel case. */
export type ClusterObjectKind = keyof ClusterObjectKinds

/** Read access to the objects besides nodes and pods. A key is `namespace/name`, or `name` where there is no namespace. */
export interface ClusterObjectsReader {
  /** Grows with every change of any kind. */
  readonly generation: number
  /** Grows with every change of the kind. */
  generationOf(kind: ClusterObjectKind): number
  /** Undefined when the object is not there. */
  get<K extends ClusterObjectKind>(kind: K, key: string): ClusterObjectKinds[K] | undefined
  /** Every object of the kind; order is not significant. The list is not changed later. */
  list<K extends ClusterObjectKind>(kind: K): readonly ClusterObjectKinds[K][]
}
