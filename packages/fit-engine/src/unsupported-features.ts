import type { ClusterObjectsReader, Pod, Volume } from '@berth/types'
import { claimUseOf, findClaim } from './volumes/claim.ts'
import { waitsForNode } from './volumes/pod-claims.ts'

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

/**
 * Names what the pod uses and the engine does not implement. Empty means that the engine's answer is complete;
 * otherwise scheduler and extender refuse the pod and say why.
 *
 * @param objects - The state's `objects` where the host keeps claims, persistent volumes, storage classes, CSINodes,
 * CSIDrivers, CSIStorageCapacities and VolumeAttachments in it. Absent: volumes that are judged by these are refused.
 */
export function unsupportedFeatures(pod: Pod, objects?: ClusterObjectsReader): readonly string[] {
  return [...checks.flatMap((check) => check(pod) ?? []), ...unsupportedVolumes(pod, objects)]
}
