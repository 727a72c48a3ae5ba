import { quantityOf } from '@berth/resources'
import type { Node, PersistentVolume, PersistentVolumeClaim } from '@berth/types'
import { parseLabelSelector } from '../../selectors/label-selector.ts'
import { claimClass, volumeClass } from '../volume-claims/claim.ts'
import type { Omissions } from './omissions.ts'
import { volumeAffinity } from './volume-affinity.ts'

/** A volume that somebody made beforehand, ready to be asked. */
export interface StaticVolume {
  readonly volume: PersistentVolume
  readonly capacity: ReturnType<typeof quantityOf>
  readonly isReachable: (node: Node) => boolean
}

/** The volumes of a storage class, ready to be asked, but for those that cannot be read. */
export function staticVolumes(
  volumes: readonly PersistentVolume[],
  className: string,
  omissions: Omissions,
): readonly StaticVolume[] {
  const prepared = (volume: PersistentVolume): StaticVolume => ({
    volume,
    capacity: quantityOf(volume.spec.capacity?.['storage']),
    isReachable: volumeAffinity(volume),
  })
  return volumes
    .filter((volume) => volumeClass(volume) === className)
    .flatMap((volume) => omissions.read('persistent volume', volume.metadata, () => prepared(volume)) ?? [])
}

/** A claim that waits for its first consumer, ready to be matched; or why it cannot be. */
export type WaitingClaim =
  | {
      readonly kind: 'claim'
      readonly claim: PersistentVolumeClaim
      readonly className: string
      readonly request: ReturnType<typeof quantityOf>
      /** Without the node: what the claim asks of a volume that is free. */
      readonly accepts: (volume: PersistentVolume) => boolean
    }
  | { readonly kind: 'problem'; readonly problem: string }

/** Makes a claim ready to be matched. */
export function waitingClaim(claim: PersistentVolumeClaim): WaitingClaim {
  const { selector, accessModes, resources } = claim.spec
  const className = claimClass(claim)
  const parsed = selector == null ? undefined : parseLabelSelector(selector)
  if (parsed?.kind === 'invalid') return { kind: 'problem', problem: parsed.problem }
  const accepts = ({ metadata, spec, status }: PersistentVolume): boolean =>
    status?.phase === 'Available' &&
    parsed?.matches(metadata.labels) !== false &&
    (accessModes ?? []).every((mode) => spec.accessModes?.includes(mode) === true)
  return { kind: 'claim', claim, className, request: quantityOf(resources?.requests?.['storage']), accepts }
}

function isReservedFor({ spec: { claimRef } }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  if (claimRef == null) return false
  if ((claimRef.name ?? '') !== (metadata.name ?? '')) return false
  if ((claimRef.namespace ?? '') !== (metadata.namespace ?? '')) return false
  return (claimRef.uid ?? '') === '' || claimRef.uid === (metadata.uid ?? '')
}

function isAlike(volume: PersistentVolume['spec'], claim: PersistentVolumeClaim['spec']): boolean {
  const isSameMode = (volume.volumeMode ?? 'Filesystem') === (claim.volumeMode ?? 'Filesystem')
  return isSameMode && (volume.volumeAttributesClassName ?? '') === (claim.volumeAttributesClassName ?? '')
}

/**
 * The volume that the claim would get on the node: one that is reserved for it, else the smallest that suits.
 *
 * @param volumes - Those of the claim's class.
 * @param taken - Names of volumes that other claims of the pod got.
 * @returns Undefined when there is none, also where the reserved one cannot be reached.
 * @see k8s.io/component-helpers storage/volume/pv_helpers.go FindMatchingVolume (v1.36)
 */
export function matchingVolume(
  { claim, request, accepts }: Extract<WaitingClaim, { kind: 'claim' }>,
  volumes: readonly StaticVolume[],
  node: Node,
  taken: ReadonlySet<string>,
): PersistentVolume | undefined {
  let smallest: StaticVolume | undefined
  for (const candidate of volumes) {
    const { volume, capacity, isReachable } = candidate
    if (taken.has(volume.metadata.name ?? '') || volume.metadata.deletionTimestamp != null) continue
    const isReserved = isReservedFor(volume, claim)
    if (volume.spec.claimRef != null && !isReserved) continue
    if (capacity.cmp(request) < 0 || !isAlike(volume.spec, claim.spec)) continue
    if (isReserved) return isReachable(node) ? volume : undefined
    if (!accepts(volume) || !isReachable(node)) continue
    if (smallest === undefined || smallest.capacity.cmp(capacity) > 0) smallest = candidate
  }
  return smallest?.volume
}
