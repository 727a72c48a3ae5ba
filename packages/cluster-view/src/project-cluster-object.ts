import { resourceAmounts } from '@berth/resources'
import type {
  ConfigMap,
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
import { trimMetadata } from './trim-metadata.ts'

/** Keeps the name and the labels of a namespace. */
export function projectNamespace(namespace: Namespace): Namespace {
  return { metadata: projectIdentity(namespace, namespace.metadata.labels) }
}

/** Keeps the data of a ConfigMap, apart from binary data. */
export function projectConfigMap(configMap: ConfigMap): ConfigMap {
  const { data } = configMap
  return { metadata: projectIdentity(configMap), ...(data !== undefined && { data }) }
}

/** Keeps the selector of a service. */
export function projectService(service: Service): Service {
  const selector = service.spec?.selector
  return { metadata: projectIdentity(service), ...(selector !== undefined && { spec: { selector } }) }
}

/** Keeps the selector of a workload. Its template, which is its largest part, is dropped. */
export function projectWorkload(workload: Workload): Workload {
  const selector = workload.spec?.selector
  return { metadata: projectIdentity(workload), ...(selector !== undefined && { spec: { selector } }) }
}

/** Keeps the resource name that a device class backs, and its age: of several classes the newest counts. */
export function projectDeviceClass(deviceClass: DeviceClass): DeviceClass {
  const { creationTimestamp } = deviceClass.metadata
  const extendedResourceName = deviceClass.spec?.extendedResourceName
  return {
    metadata: { ...projectIdentity(deviceClass), ...(creationTimestamp !== undefined && { creationTimestamp }) },
    ...(extendedResourceName !== undefined && { spec: { extendedResourceName } }),
  }
}

/** Keeps the selector of a disruption budget and the disruptions that it still allows. */
export function projectPodDisruptionBudget(budget: PodDisruptionBudget): PodDisruptionBudget {
  const { selector } = budget.spec
  const { disruptionsAllowed, disruptedPods } = budget.status ?? {}
  return {
    metadata: projectIdentity(budget),
    spec: { ...(selector !== undefined && { selector }) },
    status: {
      ...(disruptionsAllowed !== undefined && { disruptionsAllowed }),
      ...(disruptedPods !== undefined && { disruptedPods }),
    },
  }
}

/**
 * Drops the attributes of a volume that only its driver reads.
 *
 * @throws TypeError without a spec; QuantityError if the capacity is not a quantity.
 */
export function projectPersistentVolume(volume: PersistentVolume): PersistentVolume {
  const { spec, status } = volume
  resourceAmounts(spec.capacity)
  const { csi, ...rest } = spec
  return {
    metadata: trimMetadata(volume),
    spec: { ...rest, ...(csi != null && { csi: { driver: csi.driver, volumeHandle: csi.volumeHandle } }) },
    ...(status !== undefined && { status: { ...(status.phase !== undefined && { phase: status.phase }) } }),
  }
}

/**
 * Drops the conditions of a claim.
 *
 * @throws TypeError without a spec; QuantityError if the request is not a quantity.
 */
export function projectPersistentVolumeClaim(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  const { spec, status } = claim
  resourceAmounts(spec.resources?.requests)
  return {
    metadata: trimMetadata(claim),
    spec,
    ...(status !== undefined && { status: { ...(status.phase !== undefined && { phase: status.phase }) } }),
  }
}

/**
 * Keeps the storage capacity that a driver reports, and the annotations: the extender changes one to have rejected pods
 * tried again.
 *
 * @throws QuantityError if an amount is not a quantity.
 */
export function projectCsiStorageCapacity(pool: CsiStorageCapacity): CsiStorageCapacity {
  const { storageClassName, nodeTopology, capacity, maximumVolumeSize } = pool
  const { annotations } = trimMetadata(pool)
  resourceAmounts({ capacity: capacity ?? '0', maximumVolumeSize: maximumVolumeSize ?? '0' })
  return {
    metadata: { ...projectIdentity(pool), ...(annotations !== undefined && { annotations }) },
    storageClassName,
    ...(nodeTopology !== undefined && { nodeTopology }),
    ...(capacity !== undefined && { capacity }),
    ...(maximumVolumeSize !== undefined && { maximumVolumeSize }),
  }
}

/**
 * Keeps which volume is attached to which node.
 *
 * @throws TypeError without a spec.
 */
export function projectVolumeAttachment(attachment: VolumeAttachment): VolumeAttachment {
  const { attacher, nodeName, source } = attachment.spec
  const { attached } = attachment.status ?? {}
  return {
    metadata: projectIdentity(attachment),
    spec: { attacher, nodeName, source },
    ...(attached !== undefined && { status: { attached } }),
  }
}

/** Returns the object without managed fields and large annotations; every other field is kept. */
export function withTrimmedMetadata<T extends KubernetesObject>(object: T): T {
  return { ...object, metadata: trimMetadata(object) }
}

/**
 * Keeps name, namespace and uid of an object. It drops the resourceVersion, so that a change of a dropped field does
 * not count.
 */
function projectIdentity({ metadata }: KubernetesObject, labels?: ObjectMeta['labels']): ObjectMeta {
  const { name, namespace, uid } = metadata ?? {}
  return {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(labels !== undefined && { labels }),
  }
}
