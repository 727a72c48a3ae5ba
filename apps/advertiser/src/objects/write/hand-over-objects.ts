import { isApiStatus, type ApiClient } from '@berth/k8s-client'
import type { ExtendedResource } from '@berth/types'
import { extendedResources } from '../definition/object-api.ts'
import { listObjects } from '../list-objects.ts'
import { claimantOf, hasFinalizer } from '../read/read-object.ts'
import { claimObject, clearStatus, releaseObject, type WriteObjectOptions } from './write-object.ts'

/** Maximum number of times that an object is read again while others keep changing it. */
const MAX_ATTEMPTS = 6

/** Options of a change of all objects of an installation. */
export interface HandOverOptions extends Omit<WriteObjectOptions, 'client'> {
  readonly client: Pick<ApiClient, 'list' | 'find' | 'patch'>
}

/**
 * Releases all objects of this installation: removes finalizer, owner and status, so that they can be deleted and another
 * installation can claim them. Call it once their resources are withdrawn. An object with the finalizer that names no
 * installation is released, too, because its deletion would wait forever.
 *
 * @returns The number of objects.
 * @throws ApiError if an object cannot be written.
 */
export async function releaseObjects(options: HandOverOptions): Promise<number> {
  const isOwn = (object: ExtendedResource): boolean => {
    const claimant = claimantOf(object)
    return claimant === options.owner || (claimant === undefined && hasFinalizer(object))
  }
  return await changeObjects(isOwn, options, async (object) => {
    const cleared = await clearStatus(object, options)
    if (cleared !== undefined) await releaseObject(cleared, options)
  })
}

/**
 * Takes over all objects of another installation.
 *
 * @returns The number of objects.
 * @throws ApiError if an object cannot be written.
 */
export async function takeOverObjects(from: string, options: HandOverOptions): Promise<number> {
  return await changeObjects(
    (object) => claimantOf(object) === from,
    options,
    (object) => claimObject(object, options),
  )
}

async function changeObjects(
  isConcerned: (object: ExtendedResource) => boolean,
  { client, signal }: HandOverOptions,
  change: (object: ExtendedResource) => Promise<void>,
): Promise<number> {
  const objects = (await listObjects(client, signal)) ?? []
  const own = objects.filter(isConcerned)
  for (const object of own) {
    let current: ExtendedResource | undefined = object
    for (let attempt = 1; current !== undefined; attempt++) {
      try {
        await change(current)
        break
      } catch (error) {
        if (!isApiStatus(error, 409) || attempt === MAX_ATTEMPTS) throw error
      }
      const { name = '' } = object.metadata
      current = await client.find<ExtendedResource>(extendedResources, { name }, { signal })
    }
  }
  return own.length
}
