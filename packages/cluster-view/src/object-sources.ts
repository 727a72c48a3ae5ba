import { resourceRefs, type ResourceRef } from '@berth/k8s-client'
import type { ClusterObjectKind, ClusterObjectKinds } from '@berth/types'
import {
  projectConfigMap,
  projectCsiStorageCapacity,
  projectDeviceClass,
  projectNamespace,
  projectPersistentVolume,
  projectPersistentVolumeClaim,
  projectPodDisruptionBudget,
  projectService,
  projectVolumeAttachment,
  withTrimmedMetadata,
  projectWorkload,
} from './project-cluster-object.ts'

/** The API resource of a kind, and the projection that selects the fields to keep. */
export interface ObjectSource<T> {
  readonly ref: ResourceRef
  /** Throws if the object cannot be read. */
  readonly project: (object: T) => T
  /** True if older servers do not serve the kind. The cluster then has none of its objects. */
  readonly mayBeAbsent?: boolean
}

/** Kinds of which every object is mirrored. ConfigMaps are mirrored by name. */
export type CompleteKind = Exclude<ClusterObjectKind, 'configMaps'>

/** Every kind that decisions depend on, apart from nodes and pods. */
export const objectSources: {
  readonly [K in ClusterObjectKind]: ObjectSource<ClusterObjectKinds[K]>
} = {
  configMaps: { ref: resourceRefs.configMaps, project: projectConfigMap },
  namespaces: { ref: resourceRefs.namespaces, project: projectNamespace },
  services: { ref: resourceRefs.services, project: projectService },
  replicationControllers: { ref: resourceRefs.replicationControllers, project: projectWorkload },
  replicaSets: { ref: resourceRefs.replicaSets, project: projectWorkload },
  statefulSets: { ref: resourceRefs.statefulSets, project: projectWorkload },
  persistentVolumes: { ref: resourceRefs.persistentVolumes, project: projectPersistentVolume },
  persistentVolumeClaims: { ref: resourceRefs.persistentVolumeClaims, project: projectPersistentVolumeClaim },
  storageClasses: { ref: resourceRefs.storageClasses, project: withTrimmedMetadata },
  csiNodes: { ref: resourceRefs.csiNodes, project: withTrimmedMetadata },
  csiDrivers: { ref: resourceRefs.csiDrivers, project: withTrimmedMetadata },
  csiStorageCapacities: { ref: resourceRefs.csiStorageCapacities, project: projectCsiStorageCapacity },
  volumeAttachments: { ref: resourceRefs.volumeAttachments, project: projectVolumeAttachment },
  podDisruptionBudgets: { ref: resourceRefs.podDisruptionBudgets, project: projectPodDisruptionBudget },
  deviceClasses: { ref: resourceRefs.deviceClasses, project: projectDeviceClass, mayBeAbsent: true },
}

/** The kinds of which every object is mirrored. */
export const completeKinds: readonly CompleteKind[] = (Object.keys(objectSources) as ClusterObjectKind[]).filter(
  (kind) => kind !== 'configMaps',
)
