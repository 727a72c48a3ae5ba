import type { ClusterObjectsReader, Node, PersistentVolume, PersistentVolumeClaim } from '@berth/types'
import { objectKey } from '../../state/cluster-objects.ts'
import { isFullyBound, selectedNodeOf } from '../volume-claims/claim.ts'
import { createReachCheck } from './volume-affinity.ts'

/** The volumes and claims that were written to bind the volumes of a pod on its node. */
export interface WrittenVolumes {
  /** Volumes with the reference to their claim. */
  readonly bindings: readonly { readonly volume: PersistentVolume; readonly claim: PersistentVolumeClaim }[]
  /** Claims with the selected node. */
  readonly provisioned: readonly PersistentVolumeClaim[]
}

/** The state of binding a pod's volumes. `failed`: the pod must be scheduled again. */
export type BindingProgress =
  | { readonly kind: 'bound' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'failed'; readonly reason: string }

/** Reads the objects of the API server, without assumptions. */
export interface ApiObjects {
  readonly get: Pick<ClusterObjectsReader, 'get'>['get']
  /** Returns whether an object that was read is older than the written one. */
  readonly isOlder: (read: PersistentVolume | PersistentVolumeClaim, written: typeof read) => boolean
}

const waiting = { kind: 'waiting' } as const

function failed(reason: string): BindingProgress {
  return { kind: 'failed', reason }
}

/**
 * Returns whether the volumes and claims that were written are bound by now.
 *
 * @param node - The chosen node.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding/binder.go checkBindings (v1.36)
 */
export function bindingProgress(
  { bindings, provisioned }: WrittenVolumes,
  node: Node,
  objects: ApiObjects,
): BindingProgress {
  for (const { volume, claim } of bindings) {
    const progress = staticProgress(volume, claim, node, objects)
    if (progress.kind !== 'bound') return progress
  }
  for (const claim of provisioned) {
    const progress = provisioningProgress(claim, node, objects)
    if (progress.kind !== 'bound') return progress
  }
  return { kind: 'bound' }
}

function staticProgress(
  written: PersistentVolume,
  { metadata }: PersistentVolumeClaim,
  node: Node,
  objects: ApiObjects,
): BindingProgress {
  const { name = '' } = written.metadata
  const volume = objects.get('persistentVolumes', name)
  if (volume === undefined) return failed(`failed to check binding: persistentvolumes "${name}" not found`)
  const claimKey = objectKey(metadata)
  const claim = objects.get('persistentVolumeClaims', claimKey)
  if (claim === undefined) return failed(`failed to check binding: persistentvolumeclaims "${claimKey}" not found`)
  if (objects.isOlder(volume, written)) return waiting
  const unreachable = reachProblem(volume, node, objects)
  if (unreachable !== undefined) return failed(unreachable)
  if ((volume.spec.claimRef?.uid ?? '') === '') return failed(`ClaimRef got reset for pv "${name}"`)
  return isFullyBound(claim) ? { kind: 'bound' } : waiting
}

function provisioningProgress(written: PersistentVolumeClaim, node: Node, objects: ApiObjects): BindingProgress {
  const { name = '' } = written.metadata
  const claimKey = objectKey(written.metadata)
  const claim = objects.get('persistentVolumeClaims', claimKey)
  if (claim === undefined) {
    return failed(`failed to check provisioning pvc: persistentvolumeclaims "${claimKey}" not found`)
  }
  if (objects.isOlder(claim, written)) return waiting
  if (claim.metadata.annotations === undefined) return failed(`selectedNode annotation reset for PVC "${name}"`)
  // A provisioner that fails removes the annotation, so that the pod is scheduled again.
  if (selectedNodeOf(claim) !== node.metadata.name) return failed(`provisioning failed for PVC "${name}"`)
  const { volumeName = '' } = claim.spec
  if (volumeName !== '') {
    const volume = objects.get('persistentVolumes', volumeName)
    // The claim may be seen before its volume. If the volume is deleted, the claim is unbound eventually.
    if (volume === undefined) return waiting
    const unreachable = reachProblem(volume, node, objects)
    if (unreachable !== undefined) return failed(unreachable)
  }
  return isFullyBound(claim) ? { kind: 'bound' } : waiting
}

function reachProblem(volume: PersistentVolume, node: Node, objects: ApiObjects): string | undefined {
  const nodeName = node.metadata.name ?? ''
  const reach = createReachCheck(volume)(node, objects.get('csiNodes', nodeName))
  if (typeof reach !== 'string') return `failed to translate pv to csi: ${reach.reason}`
  if (reach === 'reachable') return undefined
  return `pv "${volume.metadata.name ?? ''}" node affinity doesn't match node "${nodeName}": no matching NodeSelectorTerms`
}
