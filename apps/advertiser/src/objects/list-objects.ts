import { isApiStatus, resourceRefs, type ApiClient } from '@berth/k8s-client'
import { splitNamespacedName, type ConfigMap, type ExtendedResource, type Logger } from '@berth/types'
import type { PreparedDeclarations } from '../config/setup.ts'
import type { Declaration } from '../plan/declaration.ts'
import { definitionMissingError } from '../errors.ts'
import { extendedResources } from './definition/object-api.ts'
import { anyName, readAllowedNames } from './read/allowed-names.ts'
import { createObjectReader } from './read/declared-objects.ts'

/**
 * Reads what the objects declare, for one pass over the nodes. Objects need no finalizer for it, because such a pass does
 * not wait for their deletion. Objects that declare nothing are logged.
 *
 * @param options.allowedNames - `namespace/name` of the ConfigMap with the allowed names. Default: every name is allowed.
 * @throws AdvertiseError BERTH_ADVERTISER_DEFINITION_MISSING
 */
export async function listDeclarations(options: {
  readonly client: Pick<ApiClient, 'list' | 'find'>
  readonly owner: string
  readonly allowedNames: string | undefined
  readonly prepare: (declarations: readonly Declaration[]) => PreparedDeclarations
  readonly log: Logger
  readonly signal: AbortSignal
}): Promise<readonly PreparedDeclarations[]> {
  const { client, owner, allowedNames, prepare, log, signal } = options
  const objects = await listObjects(client, signal)
  if (objects === undefined) throw definitionMissingError(undefined)
  const allowed =
    allowedNames === undefined
      ? anyName
      : readAllowedNames(
          await client.find<ConfigMap>(resourceRefs.configMaps, splitNamespacedName(allowedNames), { signal }),
          allowedNames,
        )
  const { read, parts } = createObjectReader(prepare)(objects, { owner, allowed, needsNoClaim: true })
  for (const [object, result] of read) {
    if (result.kind === 'refused') log.warn({ object, reason: result.message }, 'Skipped an ExtendedResource')
  }
  return parts
}

/** Returns every object; undefined if the cluster does not serve them. */
export async function listObjects(
  client: Pick<ApiClient, 'list'>,
  signal: AbortSignal,
): Promise<readonly ExtendedResource[] | undefined> {
  try {
    return (await client.list<ExtendedResource>(extendedResources, { signal })).items
  } catch (error) {
    if (isApiStatus(error, 404)) return undefined
    throw error
  }
}
