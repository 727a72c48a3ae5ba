import { isApiStatus, type ApiClient } from '@berth/k8s-client'
import type { ExtendedResource, ExtendedResourceStatus } from '@berth/types'
import { isDeepStrictEqual } from 'node:util'
import { OWNER_ANNOTATION, writeOwner } from '../../plan/owner.ts'
import { FIELD_MANAGER } from '../../write/apply-plan.ts'
import { extendedResources, FINALIZER } from '../definition/object-api.ts'

/** Options of writing an object. */
export interface WriteObjectOptions {
  readonly client: Pick<ApiClient, 'patch'>
  /** Name of this installation. */
  readonly owner: string
  /** Milliseconds since the epoch. */
  readonly nowMs: number
  /** Returns whether this process may still write. */
  readonly mayWrite?: () => boolean
  readonly signal: AbortSignal
}

/**
 * Adds the finalizer and the name of this installation, in one patch that names the version of the object.
 *
 * @throws ApiError 409 if the object has changed.
 */
export async function claimObject(object: ExtendedResource, options: WriteObjectOptions): Promise<void> {
  const finalizers = [...new Set([...(object.metadata.finalizers ?? []), FINALIZER])]
  const since = new Date(options.nowMs).toISOString()
  const annotations = { [OWNER_ANNOTATION]: writeOwner({ owner: options.owner, since }) }
  await patchObject(object, { metadata: { finalizers, annotations } }, options)
}

/**
 * Removes the finalizer and the name of the installation, in one patch that names the version of the object. A deleted
 * object then disappears.
 *
 * @throws ApiError 409 if the object has changed.
 */
export async function releaseObject(object: ExtendedResource, options: WriteObjectOptions): Promise<void> {
  const finalizers = (object.metadata.finalizers ?? []).filter((each) => each !== FINALIZER)
  await patchObject(object, { metadata: { finalizers, annotations: { [OWNER_ANNOTATION]: null } } }, options)
}

/**
 * Writes the status if it differs.
 *
 * @throws ApiError 409 if the object has changed.
 */
export async function writeStatus(
  object: ExtendedResource,
  status: ExtendedResourceStatus,
  options: WriteObjectOptions,
): Promise<void> {
  if (isDeepStrictEqual(object.status, status)) return
  // A merge patch keeps what it does not name.
  const { conflicts = null, lastError = null } = status
  await patchObject(object, { status: { ...status, conflicts, lastError } }, options, 'status')
}

/**
 * Removes the status.
 *
 * @returns The object without its status; undefined if it no longer exists.
 * @throws ApiError 409 if the object has changed.
 */
export async function clearStatus(
  object: ExtendedResource,
  options: WriteObjectOptions,
): Promise<ExtendedResource | undefined> {
  return object.status === undefined ? object : await patchObject(object, { status: null }, options, 'status')
}

/** Returns the written object; undefined if it no longer exists. */
async function patchObject(
  { metadata: { name = '', resourceVersion } }: ExtendedResource,
  change: { readonly metadata?: object; readonly status?: object | null },
  { client, mayWrite, signal }: WriteObjectOptions,
  subresource?: string,
): Promise<ExtendedResource | undefined> {
  try {
    return await client.patch<ExtendedResource>(
      extendedResources,
      { name },
      { ...change, metadata: { ...change.metadata, resourceVersion } },
      {
        type: 'merge',
        fieldManager: FIELD_MANAGER,
        signal,
        ...(subresource !== undefined && { subresource }),
        ...(mayWrite !== undefined && { mayStart: mayWrite }),
      },
    )
  } catch (error) {
    if (isApiStatus(error, 404)) return undefined
    throw error
  }
}
