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
      /** Returns why the claim does not accept a free volume of the right size, apart from the node. */
      readonly refusal: (volume: PersistentVolume) => 'not-available' | 'labels' | 'access-modes' | undefined
    }
  | { readonly kind: 'problem'; readonly problem: string }

/** Prepares a claim for matching. */
export function parseWaitingClaim(claim: PersistentVolumeClaim): WaitingClaim {
  const { selector, accessModes, resources } = claim.spec
  const className = claimStorageClass(claim)
  const parsed = selector == null ? undefined : parseLabelSelector(selector)
  if (parsed?.kind === 'invalid') return { kind: 'problem', problem: parsed.problem }
  const hasAccessModes = ({ spec }: PersistentVolume): boolean =>
    (accessModes ?? []).every((mode) => spec.accessModes?.includes(mode) === true)
  return {
    kind: 'claim',
    claim,
    className,
    request: quantityOf(resources?.requests?.['storage']),
    refusal(volume) {
      if (volume.status?.phase !== 'Available') return 'not-available'
      if (parsed?.matches(volume.metadata.labels) === false) return 'labels'
      return hasAccessModes(volume) ? undefined : 'access-modes'
    },
  }
}

/** Why a claim cannot have a volume of its class on a node. `taken`: another claim of the pod has it. */
export type VolumeMismatch =
  | 'taken'
  | 'being-deleted'
  | 'claimed'
  | 'too-small'
  | 'volume-mode'
  | 'attributes-class'
  | 'not-available'
  | 'labels'
  | 'access-modes'
  | 'unreachable'

/** Returns the first reason why the claim cannot have the volume on the node; undefined when it can. */
export function volumeMismatch(
  { claim, request, refusal }: Extract<WaitingClaim, { kind: 'claim' }>,
  { volume, capacity, isReachable }: StaticVolume,
  node: Node,
  taken: ReadonlySet<string>,
): VolumeMismatch | undefined {
  const { metadata, spec } = volume
  if (taken.has(metadata.name ?? '')) return 'taken'
  if (metadata.deletionTimestamp != null) return 'being-deleted'
  const isReserved = isReservedFor(volume, claim)
  if (spec.claimRef != null && !isReserved) return 'claimed'
  if (capacity.cmp(request) < 0) return 'too-small'
  if ((spec.volumeMode ?? 'Filesystem') !== (claim.spec.volumeMode ?? 'Filesystem')) return 'volume-mode'
  if ((spec.volumeAttributesClassName ?? '') !== (claim.spec.volumeAttributesClassName ?? '')) return 'attributes-class'
  const refused = isReserved ? undefined : refusal(volume)
  return refused ?? (isReachable(node) ? undefined : 'unreachable')
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
  waiting: Extract<WaitingClaim, { kind: 'claim' }>,
  volumes: readonly StaticVolume[],
  node: Node,
  taken: ReadonlySet<string>,
): PersistentVolume | undefined {
  let smallest: StaticVolume | undefined
  for (const candidate of volumes) {
    const mismatch = volumeMismatch(waiting, candidate, node, taken)
    if (mismatch !== undefined && mismatch !== 'unreachable') continue
    if (candidate.volume.spec.claimRef != null) return mismatch === undefined ? candidate.volume : undefined
    if (mismatch !== undefined) continue
    if (smallest === undefined || smallest.capacity.cmp(candidate.capacity) > 0) smallest = candidate
  }
  return smallest?.volume
}
