import { resourceRefs, type ResourceRef } from '@berth/k8s-client'
import type { ClusterObjectKind, ClusterObjectKinds } from '@berth/types'
import {
  projectCsiStorageCapacity,
  projectDeviceClass,
  projectNamespace,
  projectPersistentVolume,
  projectPersistentVolumeClaim,
  projectPodDisruptionBudget,
  projectService,
  projectVolumeAttachment,
  projectWhole,
  projectWorkload,
} from './project-cluster-object.ts'

/** Where the objects of a kind are read, and which fields of them are kept. */
export interface ObjectSource<T> {
  readonly ref: ResourceRef
  /** Throws if the object cannot be read. */
  readonly project: (object: T) => T
  /** Older servers do not serve the kind; then there are no objects of it. */
  readonly mayBeAbsent?: boolean
}

/** Every kind that decisions depend on, apart from nodes and pods. */
export const objectSources: {
  readonly [K in ClusterObjectKind]: ObjectSource<ClusterObjectKinds[K]>
} = {
  namespaces: { ref: resourceRefs.namespaces, project: projectNamespace },
  services: { ref: resourceRefs.services, project: projectService },
  replicationControllers: { ref: resourceRefs.replicationControllers, project: projectWorkload },
  replicaSets: { ref: resourceRefs.replicaSets, project: projectWorkload },
  statefulSets: { ref: resourceRefs.statefulSets, project: projectWorkload },
  persistentVolumes: { ref: resourceRefs.persistentVolumes, project: projectPersistentVolume },
  persistentVolumeClaims: { ref: resourceRefs.persistentVolumeClaims, project: projectPersistentVolumeClaim },
  storageClasses: { ref: resourceRefs.storageClasses, project: projectWhole },
  csiNodes: { ref: resourceRefs.csiNodes, project: projectWhole },
  csiDrivers: { ref: resourceRefs.csiDrivers, project: projectWhole },
  csiStorageCapacities: { ref: resourceRefs.csiStorageCapacities, project: projectCsiStorageCapacity },
  volumeAttachments: { ref: resourceRefs.volumeAttachments, project: projectVolumeAttachment },
  podDisruptionBudgets: { ref: resourceRefs.podDisruptionBudgets, project: projectPodDisruptionBudget },
  deviceClasses: { ref: resourceRefs.deviceClasses, project: projectDeviceClass, mayBeAbsent: true },
}

/** The names of the kinds in {@link objectSources}. */
export const clusterObjectKinds: readonly ClusterObjectKind[] = Object.keys(objectSources) as ClusterObjectKind[]
