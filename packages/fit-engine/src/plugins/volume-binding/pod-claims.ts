import type { ClusterObjectsReader, PersistentVolumeClaim, Pod } from '@berth/types'
import {
  claimStorageClass,
  claimNotFoundReason,
  claimReferenceOf,
  findClaim,
  isFullyBound,
  ownershipProblem,
} from '../volume-claims/claim.ts'

/** The claims of a pod by the state of their binding, or why the pod cannot run. */
export type PodClaims =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'claims'
      readonly bound: readonly PersistentVolumeClaim[]
      /** Claims that are bound after a node is chosen. */
      readonly waiting: readonly PersistentVolumeClaim[]
      /** Claims that must be bound before the pod is scheduled, but are not. */
      readonly unboundImmediate: readonly PersistentVolumeClaim[]
    }
  | { readonly kind: 'illegal'; readonly reason: string }
  | { readonly kind: 'error'; readonly reason: string }

/** The time at which an unbound claim gets its volume, or the reason why it cannot get one. */
type Binding = 'immediate' | 'waiting' | { readonly reason: string }

function bindingOf(claim: PersistentVolumeClaim, objects: ClusterObjectsReader): Binding {
  const className = claimStorageClass(claim)
  const storageClass = className === '' ? undefined : objects.get('storageClasses', className)
  if (storageClass === undefined) return 'immediate'
  const { volumeBindingMode } = storageClass
  if (volumeBindingMode == null) return { reason: `VolumeBindingMode not set for StorageClass "${className}"` }
  const isWaiting = volumeBindingMode === 'WaitForFirstConsumer' && (claim.spec.volumeName ?? '') === ''
  return isWaiting ? 'waiting' : 'immediate'
}

/** Returns every claim of the pod, or why one of them cannot be used. */
function usableClaims(pod: Pod, objects: ClusterObjectsReader): readonly PersistentVolumeClaim[] | string {
  const claims: PersistentVolumeClaim[] = []
  for (const volume of pod.spec.volumes ?? []) {
    const use = claimReferenceOf(pod, volume)
    if (use === undefined) continue
    const { name, isEphemeral } = use
    const claim = findClaim(objects, pod, name)
    if (claim === undefined && isEphemeral) {
      return `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
    }
    if (claim === undefined) return claimNotFoundReason(name)
    if (claim.status?.phase === 'Lost') {
      const { volumeName = '' } = claim.spec
      return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${volumeName}"`
    }
    if (claim.metadata.deletionTimestamp != null) return `persistentvolumeclaim "${name}" is being deleted`
    const problem = isEphemeral ? ownershipProblem(pod, claim) : undefined
    if (problem !== undefined) return problem
    claims.push(claim)
  }
  return claims
}

/**
 * Groups the claims of the pod, including those of its ephemeral volumes, by the state of their binding.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding/binder.go GetPodVolumeClaims (v1.36)
 */
export function podClaims(pod: Pod, objects: ClusterObjectsReader): PodClaims {
  const claims = usableClaims(pod, objects)
  if (typeof claims === 'string') return { kind: 'illegal', reason: claims }
  if (claims.length === 0) return { kind: 'none' }
  const bound: PersistentVolumeClaim[] = []
  const waiting: PersistentVolumeClaim[] = []
  const unboundImmediate: PersistentVolumeClaim[] = []
  for (const claim of claims) {
    const binding = isFullyBound(claim) ? 'bound' : bindingOf(claim, objects)
    if (typeof binding !== 'string') return { kind: 'error', reason: binding.reason }
    if (binding === 'bound') bound.push(claim)
    else if (binding === 'waiting') waiting.push(claim)
    else unboundImmediate.push(claim)
  }
  return { kind: 'claims', bound, waiting, unboundImmediate }
}
