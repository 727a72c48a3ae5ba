import type { ClusterObjectsReader, Node, PersistentVolume, PersistentVolumeClaim, Pod } from '@berth/types'
import { isReservedFor, SELECTED_NODE, selectedNodeOf } from '../volume-claims/claim.ts'
import { podClaims } from './pod-claims.ts'
import { SkippedObjects } from './skipped-objects.ts'
import { createWaitingClaimsCheck, type FoundVolumes } from './waiting-claims.ts'

const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller'

/** The volumes that the claims of a pod get on one node. */
export type VolumePlan =
  /** Every claim is bound, or the pod has none. */
  | { readonly kind: 'bound' }
  | FoundVolumes
  /** The claims of the pod cannot be bound on this node: the VolumeBinding filter rejects it. */
  | { readonly kind: 'rejected' }

/**
 * Returns the volumes that the pod's unbound claims get on the node: what the VolumeBinding filter found there.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding/binder.go FindPodVolumes (v1.36)
 */
export function planVolumes(pod: Pod, node: Node, objects: ClusterObjectsReader): VolumePlan {
  const claims = podClaims(pod, objects)
  if (claims.kind === 'none') return { kind: 'bound' }
  if (claims.kind !== 'claims' || claims.unboundImmediate.length > 0) return { kind: 'rejected' }
  if (claims.waiting.length === 0) return { kind: 'bound' }
  const outcome = createWaitingClaimsCheck(claims.waiting, objects, new SkippedObjects())(node)
  return typeof outcome !== 'string' && outcome.kind === 'found' ? outcome : { kind: 'rejected' }
}

/**
 * Returns the volume with the reference to the claim that the API server stores, and with the annotation of a binding
 * that its user did not make. Returns the volume itself when it has the reference.
 *
 * @see k8s.io/component-helpers storage/volume/pv_helpers.go GetBindVolumeToClaim (v1.36)
 */
export function volumeForClaim(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  if (hasClaim(volume, claim)) return volume
  const { name, namespace, uid, resourceVersion } = claim.metadata
  const reference = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  }
  const metadata = isReservedFor(volume, claim) ? volume.metadata : withAnnotation(volume, BOUND_BY_CONTROLLER, 'yes')
  return { ...volume, metadata, spec: { ...volume.spec, claimRef: { ...volume.spec.claimRef, ...reference } } }
}

/** Returns whether the volume already refers to exactly this claim. */
function hasClaim({ spec: { claimRef } }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  if (claimRef == null) return false
  return (['name', 'namespace', 'uid'] as const).every((key) => (claimRef[key] ?? '') === (metadata[key] ?? ''))
}

/**
 * Returns the claim with the annotation that starts the provisioning of its volume for the node. Returns the claim itself
 * when it has the annotation.
 */
export function claimForNode(claim: PersistentVolumeClaim, nodeName: string): PersistentVolumeClaim {
  if (selectedNodeOf(claim) === nodeName) return claim
  return { ...claim, metadata: withAnnotation(claim, SELECTED_NODE, nodeName) }
}

function withAnnotation<M extends PersistentVolume['metadata']>(
  { metadata }: { readonly metadata: M },
  key: string,
  value: string,
): M {
  return { ...metadata, annotations: { ...metadata.annotations, [key]: value } }
}
