import { quantityOf } from '@berth/resources'
import type { Node, PersistentVolume, PersistentVolumeClaim } from '@berth/types'
import { parseLabelSelector } from '../../selectors/label-selector.ts'
import { claimStorageClass, isReservedFor, volumeStorageClass } from '../volume-claims/claim.ts'
import type { SkippedObjects } from './skipped-objects.ts'
import { volumeAffinityTest } from './volume-affinity.ts'

/** An existing volume, prepared for matching. */
export interface StaticVolume {
  readonly volume: PersistentVolume
  readonly capacity: ReturnType<typeof quantityOf>
  readonly isReachable: (node: Node) => boolean
}

/** Returns the readable volumes of a storage class, prepared for matching. */
export function staticVolumes(
  volumes: readonly PersistentVolume[],
  className: string,
  skipped: SkippedObjects,
): readonly StaticVolume[] {
  const prepared = (volume: PersistentVolume): StaticVolume => ({
    volume,
    capacity: quantityOf(volume.spec.capacity?.['storage']),
    isReachable: volumeAffinityTest(volume),
  })
  return volumes
    .filter((volume) => volumeStorageClass(volume) === className)
    .flatMap((volume) => skipped.read('persistent volume', volume.metadata, () => prepared(volume)) ?? [])
}

/** A claim that waits for its first consumer, prepared for matching; or why it is not valid. */
export type WaitingClaim =
  | {
      readonly kind: 'claim'
      readonly claim: PersistentVolumeClaim
      readonly className: string
      readonly request: ReturnType<typeof quantityOf>
      /** Returns whether the claim accepts a free volume, apart from the node. */
      readonly accepts: (volume: PersistentVolume) => boolean
    }
  | { readonly kind: 'problem'; readonly problem: string }

/** Prepares a claim for matching. */
export function parseWaitingClaim(claim: PersistentVolumeClaim): WaitingClaim {
  const { selector, accessModes, resources } = claim.spec
  const className = claimStorageClass(claim)
  const parsed = selector == null ? undefined : parseLabelSelector(selector)
  if (parsed?.kind === 'invalid') return { kind: 'problem', problem: parsed.problem }
  const accepts = ({ metadata, spec, status }: PersistentVolume): boolean =>
    status?.phase === 'Available' &&
    parsed?.matches(metadata.labels) !== false &&
    (accessModes ?? []).every((mode) => spec.accessModes?.includes(mode) === true)
  return { kind: 'claim', claim, className, request: quantityOf(resources?.requests?.['storage']), accepts }
}

function hasSameAttributes(volume: PersistentVolume['spec'], claim: PersistentVolumeClaim['spec']): boolean {
  const isSameMode = (volume.volumeMode ?? 'Filesystem') === (claim.volumeMode ?? 'Filesystem')
  return isSameMode && (volume.volumeAttributesClassName ?? '') === (claim.volumeAttributesClassName ?? '')
}

/**
 * Returns the volume that the claim would get on the node: the one reserved for it, else the smallest that matches.
 *
 * @param volumes - Volumes of the claim's class.
 * @param taken - Names of volumes that are matched with other claims of the pod.
 * @returns Undefined when there is none, also when the node cannot reach the reserved one.
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
    if (capacity.cmp(request) < 0 || !hasSameAttributes(volume.spec, claim.spec)) continue
    if (isReserved) return isReachable(node) ? volume : undefined
    if (!accepts(volume) || !isReachable(node)) continue
    if (smallest === undefined || smallest.capacity.cmp(capacity) > 0) smallest = candidate
  }
  return smallest?.volume
}
