import { resourceAmounts } from '@berth/resources'
import type {
  CsiStorageCapacity,
  DeviceClass,
  KubernetesObject,
  Namespace,
  ObjectMeta,
  PersistentVolume,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Service,
  VolumeAttachment,
  Workload,
} from '@berth/types'
import { projectMetadata } from './project-object.ts'

/** Name and labels of a namespace. */
export function projectNamespace(namespace: Namespace): Namespace {
  return { metadata: projectName(namespace, namespace.metadata.labels) }
}

/** Which pods a service selects. */
export function projectService(service: Service): Service {
  const selector = service.spec?.selector
  return { metadata: projectName(service), ...(selector !== undefined && { spec: { selector } }) }
}

/** Which pods a workload selects; its template, the largest part of it, is dropped. */
export function projectWorkload(workload: Workload): Workload {
  const selector = workload.spec?.selector
  return { metadata: projectName(workload), ...(selector !== undefined && { spec: { selector } }) }
}

/** Which resource name a device class backs, and since when: of several the newest counts. */
export function projectDeviceClass(deviceClass: DeviceClass): DeviceClass {
  const { creationTimestamp } = deviceClass.metadata
  const extendedResourceName = deviceClass.spec?.extendedResourceName
  return {
    metadata: { ...projectName(deviceClass), ...(creationTimestamp !== undefined && { creationTimestamp }) },
    ...(extendedResourceName !== undefined && { spec: { extendedResourceName } }),
  }
}

/** What a disruption budget protects and how much it still allows. */
export function projectPodDisruptionBudget(budget: PodDisruptionBudget): PodDisruptionBudget {
  const { selector } = budget.spec
  const { disruptionsAllowed, disruptedPods } = budget.status ?? {}
  return {
    metadata: projectName(budget),
    spec: { ...(selector !== undefined && { selector }) },
    status: {
      ...(disruptionsAllowed !== undefined && { disruptionsAllowed }),
      ...(disruptedPods !== undefined && { disruptedPods }),
    },
  }
}

/**
 * A volume without the attributes that only its driver reads.
 *
 * @throws TypeError when there is no spec, QuantityError when its capacity is no quantity.
 */
export function projectPersistentVolume(volume: PersistentVolume): PersistentVolume {
  const { spec, status } = volume
  resourceAmounts(spec.capacity)
  const { csi, ...rest } = spec
  return {
    metadata: projectMetadata(volume),
    spec: { ...rest, ...(csi != null && { csi: { driver: csi.driver, volumeHandle: csi.volumeHandle } }) },
    ...(status !== undefined && { status: { ...(status.phase !== undefined && { phase: status.phase }) } }),
  }
}

/**
 * A claim without its conditions.
 *
 * @throws TypeError when there is no spec, QuantityError when its request is no quantity.
 */
export function projectPersistentVolumeClaim(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  const { spec, status } = claim
  resourceAmounts(spec.resources?.requests)
  return {
    metadata: projectMetadata(claim),
    spec,
    ...(status !== undefined && { status: { ...(status.phase !== undefined && { phase: status.phase }) } }),
  }
}

/**
 * Room that a storage driver reports.
 *
 * @throws QuantityError when an amount is no quantity.
 */
export function projectCsiStorageCapacity(pool: CsiStorageCapacity): CsiStorageCapacity {
  const { storageClassName, nodeTopology, capacity, maximumVolumeSize } = pool
  resourceAmounts({ capacity: capacity ?? '0', maximumVolumeSize: maximumVolumeSize ?? '0' })
  return {
    metadata: projectName(pool),
    storageClassName,
    ...(nodeTopology !== undefined && { nodeTopology }),
    ...(capacity !== undefined && { capacity }),
    ...(maximumVolumeSize !== undefined && { maximumVolumeSize }),
  }
}

/**
 * Which volume is attached where.
 *
 * @throws TypeError when there is no spec.
 */
export function projectVolumeAttachment(attachment: VolumeAttachment): VolumeAttachment {
  const { attacher, nodeName, source } = attachment.spec
  const { attached } = attachment.status ?? {}
  return {
    metadata: projectName(attachment),
    spec: { attacher, nodeName, source },
    ...(attached !== undefined && { status: { attached } }),
  }
}

/** The whole object without managed fields and large annotations. */
export function projectWhole<T extends KubernetesObject>(object: T): T {
  return { ...object, metadata: projectMetadata(object) }
}

/** The least that tells objects apart. Without resourceVersion, so that a change of what is dropped is no change. */
function projectName({ metadata }: KubernetesObject, labels?: ObjectMeta['labels']): ObjectMeta {
  const { name, namespace, uid } = metadata ?? {}
  return {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(labels !== undefined && { labels }),
  }
}
