import type { ClusterObjectsReader, PersistentVolumeClaim, Pod, Volume } from '@berth/types'
import {
  claimStorageClass,
  claimNotFoundReason,
  claimReferenceOf,
  findClaim,
  ownershipProblem,
} from '../volume-claims/claim.ts'
import { inlineHandle, inTreePluginNamed, inTreePluginOf, persistentHandle } from '../csi-migration/in-tree-plugins.ts'

/** Drivers of the volumes that CSI drivers attach, by `driver/handle`. */
export type CsiVolumes = Map<string, string>

/** The reason why a pod's volumes cannot be counted. */
export interface CsiVolumesProblem {
  readonly kind: 'missing-claim' | 'error'
  readonly reason: string
}

/** Options of {@link collectCsiVolumes}. */
export interface CsiVolumesOptions {
  readonly objects: ClusterObjectsReader
  /** Without a CSINode, volumes of in-tree plugins do not count. */
  readonly hasCsiNode: boolean
  /**
   * Whether the pod is being scheduled. A missing claim is a problem then; claims that a running pod lacks are skipped.
   */
  readonly isCandidate: boolean
}

interface CsiVolume {
  readonly driver: string
  readonly handle: string
}

/**
 * Adds the volumes of the pod that CSI drivers attach to `into`, including those of migrated in-tree plugins.
 *
 * @returns The first problem; `into` then holds the volumes before it. Undefined when there is none.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/nodevolumelimits/csi.go filterAttachableVolumes (v1.36)
 */
export function collectCsiVolumes(
  pod: Pod,
  options: CsiVolumesOptions,
  into: CsiVolumes,
): CsiVolumesProblem | undefined {
  for (const volume of pod.spec.volumes ?? []) {
    const found = isClaimed(volume) ? claimedVolume(pod, volume, options) : inlineVolume(volume, options)
    if (found === undefined) continue
    if ('reason' in found) return found
    into.set(`${found.driver}/${found.handle}`, found.driver)
  }
  return undefined
}

function isClaimed({ persistentVolumeClaim, ephemeral }: Volume): boolean {
  return persistentVolumeClaim != null || ephemeral != null
}

function inlineVolume(volume: Volume, { hasCsiNode }: CsiVolumesOptions): CsiVolume | CsiVolumesProblem | undefined {
  if (!hasCsiNode) return undefined
  const plugin = inTreePluginOf(volume)
  const found = plugin && inlineHandle(plugin, volume)
  if (plugin === undefined || found === undefined) return undefined
  if (found.kind === 'handle') return { driver: plugin.driver, handle: found.handle }
  return { kind: 'error', reason: `converting volume(${volume.name}) from inline to csi: ${found.problem}` }
}

function claimedVolume(
  pod: Pod,
  volume: Volume,
  options: CsiVolumesOptions,
): CsiVolume | CsiVolumesProblem | undefined {
  const { name = '', isEphemeral = false } = claimReferenceOf(pod, volume) ?? {}
  if (name === '') return { kind: 'error', reason: 'PersistentVolumeClaim had no name' }
  const claim = findClaim(options.objects, pod, name)
  if (claim === undefined) {
    if (!options.isCandidate) return undefined
    const { namespace = '' } = pod.metadata
    return { kind: 'missing-claim', reason: `looking up PVC ${namespace}/${name}: ${claimNotFoundReason(name)}` }
  }
  const reason = isEphemeral ? ownershipProblem(pod, claim) : undefined
  if (reason !== undefined) return { kind: 'error', reason }
  const found = volumeOfClaim(claim, options)
  return found === undefined || found.driver === '' || found.handle === '' ? undefined : found
}

function volumeOfClaim(claim: PersistentVolumeClaim, options: CsiVolumesOptions): CsiVolume | undefined {
  const volumeName = claim.spec.volumeName ?? ''
  const volume = volumeName === '' ? undefined : options.objects.get('persistentVolumes', volumeName)
  if (volume === undefined) return unprovisionedVolume(claim, options)
  const { csi } = volume.spec
  if (csi != null) return { driver: csi.driver, handle: csi.volumeHandle ?? '' }
  const plugin = options.hasCsiNode ? inTreePluginOf(volume.spec) : undefined
  const found = plugin && persistentHandle(plugin, volume)
  return found?.kind === 'handle' && plugin !== undefined ? { driver: plugin.driver, handle: found.handle } : undefined
}

/** Returns the volume that the claim's storage class will provision. Its handle is unknown, so it equals no other. */
function unprovisionedVolume(claim: PersistentVolumeClaim, options: CsiVolumesOptions): CsiVolume | undefined {
  const className = claimStorageClass(claim)
  const storageClass = className === '' ? undefined : options.objects.get('storageClasses', className)
  if (storageClass === undefined) return undefined
  const handle = `\0${claim.metadata.namespace ?? ''}/${claim.metadata.name ?? ''}`
  const plugin = inTreePluginNamed(storageClass.provisioner)
  if (plugin === undefined) return { driver: storageClass.provisioner ?? '', handle }
  return options.hasCsiNode && plugin.handleOf !== undefined ? { driver: plugin.driver, handle } : undefined
}
