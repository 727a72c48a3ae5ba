import { podRequest } from '@berth/resources'
import type { ClusterObjectsReader, Pod, Volume } from '@berth/types'
import type { QueueingHint } from '../framework/queueing-hint.ts'
import { deviceClassFor } from '../plugins/delegated-resources/device-class-for.ts'
import { nodeResourcesFitHint } from '../plugins/node-resources-fit/hint.ts'
import { claimUseOf, findClaim } from '../plugins/volume-claims/claim.ts'
import { changesOwnClaim } from '../plugins/volume-claims/own-claim-event.ts'
import { waitsForNode } from '../plugins/volume-binding/pod-claims.ts'

/** Pod fields that decide where a pod may run and that the engine does not implement; it must not be placed then. */
type Check = (pod: Pod) => string | undefined

const checks: readonly Check[] = [
  ({ spec }) =>
    spec.resourceClaims?.length ? 'spec.resourceClaims: dynamic resource allocation is not implemented' : undefined,
]

/** Volume sources that no filter of the default profile looks at, or that it judges by the pods alone. */
const freeVolumeSources: ReadonlySet<string> = new Set([
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

/** Volume sources that are judged by claims, persistent volumes, storage classes and CSINodes. */
const storedVolumeSources: ReadonlySet<string> = new Set([
  'awsElasticBlockStore',
  'azureDisk',
  'cinder',
  'ephemeral',
  'gcePersistentDisk',
  'persistentVolumeClaim',
  'portworxVolume',
])

function sourceProblem(
  source: string,
  volume: Volume,
  pod: Pod,
  objects: ClusterObjectsReader | undefined,
): string | undefined {
  if (freeVolumeSources.has(source)) return undefined
  if (!storedVolumeSources.has(source)) return 'this kind of volume is not known'
  if (objects === undefined) return 'claims and volumes of the cluster are not known here'
  const use = claimUseOf(pod, volume)
  const claim = use && findClaim(objects, pod, use.name)
  if (use === undefined || claim === undefined || !waitsForNode(claim, objects)) return undefined
  return `claim ${use.name} waits for its first consumer, and binding volumes is not implemented`
}

function unsupportedVolumes(pod: Pod, objects: ClusterObjectsReader | undefined): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap((volume) =>
    Object.keys(volume).flatMap((source) => {
      if (source === 'name' || volume[source] == null) return []
      const problem = sourceProblem(source, volume, pod, objects)
      return problem === undefined ? [] : [`spec.volumes[${volume.name}].${source}: ${problem}`]
    }),
  )
}

/** Names that a DeviceClass backs and no node offers: without dynamic resource allocation nobody can place the pod. */
function delegatedResources(
  pod: Pod,
  objects: ClusterObjectsReader | undefined,
  isOffered: (resourceName: string) => boolean,
): readonly string[] {
  if (objects === undefined || objects.list('deviceClasses').length === 0) return []
  return [...scalarsOf(pod)].flatMap(([name, amount]) => {
    const deviceClass = amount > 0n ? deviceClassFor(name, objects) : undefined
    if (deviceClass === undefined || isOffered(name)) return []
    const why = 'and dynamic resource allocation is not implemented'
    return `resources.requests[${name}]: DeviceClass ${deviceClass} backs it, no node offers it, ${why}`
  })
}

/** What the pod asks for besides cpu and memory. Amounts that are no quantities are for decide() to complain of. */
function scalarsOf(pod: Pod): ReadonlyMap<string, bigint> {
  try {
    return podRequest(pod).scalar
  } catch {
    return new Map()
  }
}

const nobodyOffers = (): boolean => false

/**
 * Names what the pod uses and the engine does not implement. Empty means that the engine's answer is complete;
 * otherwise scheduler and extender refuse the pod and say why.
 *
 * @param objects - The state's `objects` where the host keeps claims, persistent volumes, storage classes, CSINodes,
 * CSIDrivers, CSIStorageCapacities, VolumeAttachments and DeviceClasses in it. Absent: volumes that are judged by these
 * are refused.
 * @param isOffered - Whether some node offers a resource. A name that a DeviceClass backs is refused unless one does:
 * the pod can then go there, and to no other node. Absent: none does.
 */
export function unsupportedFeatures(
  pod: Pod,
  objects?: ClusterObjectsReader,
  isOffered: (resourceName: string) => boolean = nobodyOffers,
): readonly string[] {
  return [
    ...checks.flatMap((check) => check(pod) ?? []),
    ...delegatedResources(pod, objects, isOffered),
    ...unsupportedVolumes(pod, objects),
  ]
}

/**
 * Queueing hint for pods that were refused for {@link unsupportedFeatures}: a claim may be bound now, a node may offer
 * a resource that a DeviceClass backs, or the DeviceClass may be gone.
 */
export const unsupportedFeaturesHint: QueueingHint = (pod, event) =>
  changesOwnClaim(pod, event) ||
  ((event.kind === 'node-added' || event.kind === 'node-changed') && nodeResourcesFitHint(pod, event)) ||
  (event.kind === 'object' && event.resource === 'deviceClasses')
