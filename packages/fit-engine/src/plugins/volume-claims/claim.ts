import type { ClusterObjectsReader, PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@berth/types'
import { labelOf } from '../../selectors/label-requirement.ts'
import { objectKey } from '../../state/cluster-objects.ts'

const CLASS_BETA = 'volume.beta.kubernetes.io/storage-class'
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed'
/** Annotation of a claim: the node for which the provisioner is to create its volume. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node'

/** A pod's reference to a claim: by name, or by a generic ephemeral volume. */
export interface ClaimReference {
  readonly name: string
  readonly isEphemeral: boolean
}

/** Returns the claim that the volume refers to; undefined when it refers to none. */
export function claimReferenceOf({ metadata }: Pod, volume: Volume): ClaimReference | undefined {
  if (volume.persistentVolumeClaim != null) {
    return { name: volume.persistentVolumeClaim.claimName ?? '', isEphemeral: false }
  }
  return volume.ephemeral == null ? undefined : { name: `${metadata.name ?? ''}-${volume.name}`, isEphemeral: true }
}

/** Returns the claim with this name in the pod's namespace. */
export function findClaim(objects: ClusterObjectsReader, pod: Pod, name: string): PersistentVolumeClaim | undefined {
  const { namespace } = pod.metadata
  return objects.get('persistentVolumeClaims', objectKey({ name, ...(namespace != null && { namespace }) }))
}

/** Returns the API server's message for a claim that does not exist. */
export function claimNotFoundReason(name: string): string {
  return `persistentvolumeclaim "${name}" not found`
}

/** Returns why an ephemeral volume of the pod must not use the claim; undefined when the pod owns the claim. */
export function ownershipProblem(
  { metadata: pod }: Pod,
  { metadata: claim }: PersistentVolumeClaim,
): string | undefined {
  const controller = (claim.ownerReferences ?? []).find((owner) => owner.controller === true)
  const isOwned = controller !== undefined && controller.uid === (pod.uid ?? '')
  if (isOwned && (claim.namespace ?? '') === (pod.namespace ?? '')) return undefined
  const [claimName, podName] = [claim, pod].map(({ namespace = '', name = '' }) => `${namespace}/${name}`)
  return `PVC ${claimName} was not created for pod ${podName} (pod is not owner)`
}

/** Returns the claim's storage class; empty when it has none. */
export function claimStorageClass({ metadata, spec }: PersistentVolumeClaim): string {
  return labelOf(metadata.annotations ?? {}, CLASS_BETA) ?? spec.storageClassName ?? ''
}

/** Returns the volume's storage class; empty when it has none. */
export function volumeStorageClass({ metadata, spec }: PersistentVolume): string {
  return labelOf(metadata.annotations ?? {}, CLASS_BETA) ?? spec.storageClassName ?? ''
}

/** Returns whether the claim is bound to a volume and the binding is complete. */
export function isFullyBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return (spec.volumeName ?? '') !== '' && labelOf(metadata.annotations ?? {}, BIND_COMPLETED) !== undefined
}

/** Returns whether the volume is reserved for the claim, by its user or by a binding. */
export function isReservedFor({ spec: { claimRef } }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  if (claimRef == null) return false
  if ((claimRef.name ?? '') !== (metadata.name ?? '')) return false
  if ((claimRef.namespace ?? '') !== (metadata.namespace ?? '')) return false
  return (claimRef.uid ?? '') === '' || claimRef.uid === (metadata.uid ?? '')
}

/** Returns the node for which a volume of the claim is to be provisioned; undefined when none is selected. */
export function selectedNodeOf({ metadata }: PersistentVolumeClaim): string | undefined {
  return labelOf(metadata.annotations ?? {}, SELECTED_NODE)
}
