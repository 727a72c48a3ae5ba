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

/** Where the objects of a kind come from, and what is kept of them. */
export interface ObjectSource<T> {
  readonly ref: ResourceRef
  /** Throwing means that the object cannot be read. */
  readonly project: (object: T) => T
  /** Servers of older versions do not serve it: then there are none. */
  readonly mayBeAbsent?: boolean
}

/** Every kind that decisions depend on besides nodes and pods. */
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

/** Names of these kinds. */
export const clusterObjectKinds: readonly ClusterObjectKind[] = Object.keys(objectSources) as ClusterObjectKind[]
