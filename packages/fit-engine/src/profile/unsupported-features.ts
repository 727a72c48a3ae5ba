import { podRequest } from '@berth/resources'
import type { ClusterObjectsReader, Pod, PodSpec } from '@berth/types'
import type { QueueingHint } from '../framework/queueing-hint.ts'
import { deviceClassFor } from '../plugins/delegated-resources/device-class-for.ts'
import { nodeResourcesFitHint } from '../plugins/node-resources-fit/hint.ts'
import {
  type EventTopic,
  NODE_ADDED,
  NODE_ALLOCATABLE,
  objectDeletedTopic,
  objectTopic,
} from '../framework/event-topic.ts'

/** Fields of a pod that restrict where or when it may run and that the engine does not implement. */
const unsupportedFields = [
  { field: 'resourceClaims', feature: 'dynamic resource allocation' },
  { field: 'workloadRef', feature: 'scheduling of the pod groups of Kubernetes 1.35' },
] as const satisfies readonly { readonly field: keyof PodSpec; readonly feature: string }[]

/** All of these fields are immutable. */
const FIELD_REMEDY = 'recreate the pod without this field, or with the schedulerName of a scheduler that implements it'

function usedFields({ spec }: Pod): readonly string[] {
  return unsupportedFields.flatMap(({ field, feature }) => {
    const value = spec[field]
    const isUsed = Array.isArray(value) ? value.length > 0 : value != null
    return isUsed ? `spec.${field}: ${feature} is not implemented (${FIELD_REMEDY})` : []
  })
}

/** Volume sources that no default filter reads, or that filters check without other API objects than pods. */
const ignoredVolumeSources: ReadonlySet<string> = new Set([
  'azureFile',
  'cephfs',
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'fc',
  'flexVolume',
  'flocker',
  'gitRepo',
  'glusterfs',
  'hostPath',
  'image',
  'iscsi',
  'nfs',
  'photonPersistentDisk',
  'projected',
  'quobyte',
  'rbd',
  'scaleIO',
  'secret',
  'storageos',
  'vsphereVolume',
])

/** Volume sources that filters check against claims, persistent volumes, storage classes and CSINodes. */
const judgedVolumeSources: ReadonlySet<string> = new Set([
  'awsElasticBlockStore',
  'azureDisk',
  'cinder',
  'ephemeral',
  'gcePersistentDisk',
  'persistentVolumeClaim',
  'portworxVolume',
])

function sourceProblem(source: string, objects: ClusterObjectsReader | undefined): string | undefined {
  if (ignoredVolumeSources.has(source)) return undefined
  if (!judgedVolumeSources.has(source)) return 'this kind of volume is not known'
  if (objects === undefined) return 'claims and volumes of the cluster are not known here'
  return undefined
}

function unsupportedVolumes(pod: Pod, objects: ClusterObjectsReader | undefined): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap((volume) =>
    Object.keys(volume).flatMap((source) => {
      if (source === 'name' || volume[source] == null) return []
      const problem = sourceProblem(source, objects)
      return problem === undefined ? [] : [`spec.volumes[${volume.name}].${source}: ${problem}`]
    }),
  )
}

/**
 * Returns one text for each requested resource that a DeviceClass backs and no node offers: it needs dynamic resource
 * allocation.
 */
function delegatedResources(
  pod: Pod,
  objects: ClusterObjectsReader | undefined,
  isOffered: (resourceName: string) => boolean,
): readonly string[] {
  if (objects === undefined || objects.list('deviceClasses').length === 0) return []
  return [...scalarRequests(pod)].flatMap(([name, amount]) => {
    const deviceClass = amount > 0n ? deviceClassFor(name, objects) : undefined
    if (deviceClass === undefined || isOffered(name)) return []
    const why = 'and dynamic resource allocation is not implemented'
    return `resources.requests[${name}]: DeviceClass ${deviceClass} backs it, no node offers it, ${why}`
  })
}

/** Returns the scalar requests of the pod; none when an amount is not a quantity, because decide() reports that. */
function scalarRequests(pod: Pod): ReadonlyMap<string, bigint> {
  try {
    return podRequest(pod).scalar
  } catch {
    return new Map()
  }
}

const offersNothing = (): boolean => false

/**
 * Returns the features that the pod uses and the engine does not implement. When the list is not empty, scheduler and
 * extender refuse the pod and name the features.
 *
 * @param objects - The state's `objects`, if the host keeps claims, persistent volumes, storage classes, CSINodes,
 * CSIDrivers, CSIStorageCapacities, VolumeAttachments and DeviceClasses there. Omit it if not: a volume that filters
 * would check against these is then unsupported, and DeviceClasses are not considered.
 * @param isOffered - Returns whether some node offers a resource. A resource that a DeviceClass backs is unsupported
 * unless a node offers it; the pod can then run on such nodes only. Default: no node offers any.
 */
export function unsupportedFeatures(
  pod: Pod,
  objects?: ClusterObjectsReader,
  isOffered: (resourceName: string) => boolean = offersNothing,
): readonly string[] {
  return [...usedFields(pod), ...delegatedResources(pod, objects, isOffered), ...unsupportedVolumes(pod, objects)]
}

/** Topics of the events that {@link unsupportedFeaturesHint} accepts. */
export const unsupportedFeaturesTopics: readonly EventTopic[] = [
  NODE_ADDED,
  NODE_ALLOCATABLE,
  objectTopic('deviceClasses'),
  objectDeletedTopic('deviceClasses'),
]

/**
 * Queueing hint for pods that were refused for {@link unsupportedFeatures}: a node may offer a resource that a
 * DeviceClass backs, or the DeviceClass may be gone.
 */
export const unsupportedFeaturesHint: QueueingHint = (pod, event) =>
  ((event.kind === 'node-added' || event.kind === 'node-changed') && nodeResourcesFitHint(pod, event)) ||
  (event.kind === 'object' && event.resource === 'deviceClasses')
