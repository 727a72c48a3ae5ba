import type { ClusterObjectsReader, PersistentVolumeClaim, Pod, Volume } from '@berth/types'
import { claimClass, claimNotFound, claimUseOf, findClaim, ownershipProblem } from '../volume-claims/claim.ts'
import { inlineHandle, inTreePluginNamed, inTreePluginOf, persistentHandle } from '../csi-migration/in-tree-plugins.ts'

/** Volumes that CSI drivers attach: `driver/handle` -> driver. */
export type CsiVolumes = Map<string, string>

/** Why a pod's volumes cannot be counted. */
export interface CsiVolumesProblem {
  readonly kind: 'missing-claim' | 'error'
  readonly reason: string
}

/** How {@link collectCsiVolumes} looks at a pod. */
export interface CsiVolumesView {
  readonly objects: ClusterObjectsReader
  /** Without a CSINode, volumes of in-tree plugins do not count. */
  readonly hasCsiNode: boolean
  /** The pod is to be placed: a missing claim is a problem. For pods that run, it is passed over. */
  readonly isCandidate: boolean
}

interface CsiVolume {
  readonly driver: string
  readonly handle: string
}

/**
 * Adds the volumes of the pod that CSI drivers attach, those of migrated in-tree plugins included. What came before a
 * problem stays added.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/nodevolumelimits/csi.go filterAttachableVolumes (v1.36)
 */
export function collectCsiVolumes(pod: Pod, view: CsiVolumesView, into: CsiVolumes): CsiVolumesProblem | undefined {
  for (const volume of pod.spec.volumes ?? []) {
    const found = isClaimed(volume) ? claimedVolume(pod, volume, view) : inlineVolume(volume, view)
    if (found === undefined) continue
    if ('reason' in found) return found
    into.set(`${found.driver}/${found.handle}`, found.driver)
  }
  return undefined
}

function isClaimed({ persistentVolumeClaim, ephemeral }: Volume): boolean {
  return persistentVolumeClaim != null || ephemeral != null
}

function inlineVolume(volume: Volume, { hasCsiNode }: CsiVolumesView): CsiVolume | CsiVolumesProblem | undefined {
  if (!hasCsiNode) return undefined
  const plugin = inTreePluginOf(volume)
  const found = plugin && inlineHandle(plugin, volume)
  if (plugin === undefined || found === undefined) return undefined
  if (found.kind === 'handle') return { driver: plugin.driver, handle: found.handle }
  return { kind: 'error', reason: `converting volume(${volume.name}) from inline to csi: ${found.problem}` }
}

function claimedVolume(pod: Pod, volume: Volume, view: CsiVolumesView): CsiVolume | CsiVolumesProblem | undefined {
  const { name = '', isEphemeral = false } = claimUseOf(pod, volume) ?? {}
  if (name === '') return { kind: 'error', reason: 'PersistentVolumeClaim had no name' }
  const claim = findClaim(view.objects, pod, name)
  if (claim === undefined) {
    if (!view.isCandidate) return undefined
    const { namespace = '' } = pod.metadata
    return { kind: 'missing-claim', reason: `looking up PVC ${namespace}/${name}: ${claimNotFound(name)}` }
  }
  const reason = isEphemeral ? ownershipProblem(pod, claim) : undefined
  if (reason !== undefined) return { kind: 'error', reason }
  const found = volumeOfClaim(claim, view)
  return found === undefined || found.driver === '' || found.handle === '' ? undefined : found
}

function volumeOfClaim(claim: PersistentVolumeClaim, view: CsiVolumesView): CsiVolume | undefined {
  const volumeName = claim.spec.volumeName ?? ''
  const volume = volumeName === '' ? undefined : view.objects.get('persistentVolumes', volumeName)
  if (volume === undefined) return volumeToCome(claim, view)
  const { csi } = volume.spec
  if (csi != null) return { driver: csi.driver, handle: csi.volumeHandle ?? '' }
  const plugin = view.hasCsiNode ? inTreePluginOf(volume.spec) : undefined
  const found = plugin && persistentHandle(plugin, volume)
  return found?.kind === 'handle' && plugin !== undefined ? { driver: plugin.driver, handle: found.handle } : undefined
}

/** The volume that the claim's storage class will provide. Its handle is not known yet and equals no other. */
function volumeToCome(claim: PersistentVolumeClaim, view: CsiVolumesView): CsiVolume | undefined {
  const className = claimClass(claim)
  const storageClass = className === '' ? undefined : view.objects.get('storageClasses', className)
  if (storageClass === undefined) return undefined
  const handle = `\0${claim.metadata.namespace ?? ''}/${claim.metadata.name ?? ''}`
  const plugin = inTreePluginNamed(storageClass.provisioner)
  if (plugin === undefined) return { driver: storageClass.provisioner ?? '', handle }
  return view.hasCsiNode && plugin.handleOf !== undefined ? { driver: plugin.driver, handle } : undefined
}
