import type { ClusterObjectsReader, PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@berth/types'
import { labelOf } from '../../selectors/label-requirement.ts'
import { objectKey } from '../../state/cluster-objects.ts'

const CLASS_BETA = 'volume.beta.kubernetes.io/storage-class'
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed'

/** A pod's wish for a claim: by name, or made for the pod alone (a generic ephemeral volume). */
export interface ClaimUse {
  readonly name: string
  readonly isEphemeral: boolean
}

/** The claim that the volume uses; undefined when it uses none. */
export function claimUseOf({ metadata }: Pod, volume: Volume): ClaimUse | undefined {
  if (volume.persistentVolumeClaim != null) {
    return { name: volume.persistentVolumeClaim.claimName ?? '', isEphemeral: false }
  }
  return volume.ephemeral == null ? undefined : { name: `${metadata.name ?? ''}-${volume.name}`, isEphemeral: true }
}

/** The claim of the name in the pod's namespace. */
export function findClaim(objects: ClusterObjectsReader, pod: Pod, name: string): PersistentVolumeClaim | undefined {
  const { namespace } = pod.metadata
  return objects.get('persistentVolumeClaims', objectKey({ name, ...(namespace != null && { namespace }) }))
}

/** What the API server says of a claim that is not there. */
export function claimNotFound(name: string): string {
  return `persistentvolumeclaim "${name}" not found`
}

/** Why an ephemeral volume of the pod must not use the claim; undefined when it was made for the pod. */
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

/** The claim's storage class; '' when it names none. */
export function claimClass({ metadata, spec }: PersistentVolumeClaim): string {
  return labelOf(metadata.annotations ?? {}, CLASS_BETA) ?? spec.storageClassName ?? ''
}

/** The volume's storage class; '' when it has none. */
export function volumeClass({ metadata, spec }: PersistentVolume): string {
  return labelOf(metadata.annotations ?? {}, CLASS_BETA) ?? spec.storageClassName ?? ''
}

/** Claim and volume know each other, and the binding is complete. */
export function isFullyBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return (spec.volumeName ?? '') !== '' && labelOf(metadata.annotations ?? {}, BIND_COMPLETED) !== undefined
}
