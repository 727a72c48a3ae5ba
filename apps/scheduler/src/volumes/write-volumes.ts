import type { ClusterView } from '@berth/cluster-view'
import { claimForNode, objectKey, volumeForClaim } from '@berth/fit-engine'
import { type ApiClient, type ResourceRef, resourceRefs } from '@berth/k8s-client'
import type { KubernetesObject, ObjectMeta, PersistentVolume, PersistentVolumeClaim } from '@berth/types'
import type { WriteFence } from '../binding/run-hook.ts'
import type { ReservedVolume } from './volume-reservation.ts'

/** How volumes and claims are written. */
export interface WriteVolumesOptions {
  readonly view: Pick<ClusterView, 'apiObject'>
  readonly client: Pick<ApiClient, 'patch'>
  readonly fence: Pick<WriteFence, 'mayWrite'>
  readonly signal: AbortSignal
}

/**
 * Writes the reference of a volume to its claim, unless the API server has it.
 *
 * @returns The volume with its version after the write.
 * @throws ApiError 409 when the volume changed since it was reserved; TransportError.
 */
export async function writeVolume(
  { volume, claim }: Pick<ReservedVolume, 'volume' | 'claim'>,
  options: WriteVolumesOptions,
): Promise<PersistentVolume> {
  const current = options.view.apiObject('persistentVolumes', volume.metadata.name ?? '')
  if (current !== undefined && volumeForClaim(current, claim) === current) return current
  const body = patchOf(volume.metadata, current?.metadata, { spec: { claimRef: volume.spec.claimRef } })
  const response = await patch(resourceRefs.persistentVolumes, volume.metadata, body, options)
  return { ...volume, metadata: { ...volume.metadata, ...response.metadata } }
}

/**
 * Writes the selected node of a claim, unless the API server has it.
 *
 * @returns The claim with its version after the write.
 * @throws ApiError 409 when the claim changed since it was reserved; TransportError.
 */
export async function writeClaim(
  claim: PersistentVolumeClaim,
  nodeName: string,
  options: WriteVolumesOptions,
): Promise<PersistentVolumeClaim> {
  const current = options.view.apiObject('persistentVolumeClaims', objectKey(claim.metadata))
  if (current !== undefined && claimForNode(current, nodeName) === current) return current
  const body = patchOf(claim.metadata, current?.metadata, {})
  const response = await patch(resourceRefs.persistentVolumeClaims, claim.metadata, body, options)
  return { ...claim, metadata: { ...claim.metadata, ...response.metadata } }
}

/**
 * Returns a merge patch, because the view does not keep whole objects. The resourceVersion makes it fail like an update
 * when the object has changed.
 */
function patchOf(
  { resourceVersion, annotations = {} }: ObjectMeta,
  current: ObjectMeta | undefined,
  body: object,
): object {
  const added = Object.entries(annotations).filter(([key, value]) => current?.annotations?.[key] !== value)
  return { ...body, metadata: { resourceVersion, ...(added.length > 0 && { annotations: Object.fromEntries(added) }) } }
}

function patch(
  resource: ResourceRef,
  { name = '', namespace }: ObjectMeta,
  body: object,
  { client, fence, signal }: WriteVolumesOptions,
): Promise<KubernetesObject> {
  const target = { name, ...(namespace !== undefined && { namespace }) }
  return client.patch(resource, target, body, { type: 'merge', priority: 'high', signal, mayStart: fence.mayWrite })
}
