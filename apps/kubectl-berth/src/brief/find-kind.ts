import { type ApiClient, type ResourceRef } from '@berth/k8s-client'
import { CommandError } from '../errors.ts'
import { readJson, type ReadOptions } from '../output/read-json.ts'

/** A resource, or a subresource, in a discovery document. */
interface ServedResource {
  readonly name: string
  readonly singularName?: string
  readonly namespaced: boolean
  readonly kind: string
  readonly shortNames?: readonly string[]
  readonly verbs?: readonly string[]
}

/** A resource type with what discovery says about it. */
export interface ServedKind extends ResourceRef {
  readonly resource: ServedResource
}

/** A discovery document: `/apis`, or a group version. */
interface Discovery {
  readonly resources?: readonly ServedResource[]
  readonly groups?: readonly { readonly name: string; readonly preferredVersion?: { readonly version: string } }[]
}

/**
 * Finds a resource type by plural, singular, kind or short name, optionally with its group (`clonesets.apps.kruise.io`),
 * through API discovery.
 *
 * @throws CommandError BERTH_KUBECTL_KIND when the API server does not serve the type, and the client's own errors.
 */
export async function findKind(client: ApiClient, wanted: string, options: ReadOptions): Promise<ResourceRef> {
  const [word = '', ...rest] = wanted.toLowerCase().split('.')
  const wantedGroup = rest.length === 0 ? undefined : rest.join('.')
  for await (const { resource, ...ref } of servedKinds(client, options, wantedGroup))
    if (isNamed(resource, word)) return ref
  throw new CommandError(`find resource type ${wanted}: the API server does not serve it`, {
    code: 'BERTH_KUBECTL_KIND',
    hint: 'List the resource types: kubectl api-resources',
  })
}

/**
 * Reads the resource types that the API server serves, of each group in its preferred version; only those of `wantedGroup`
 * if it is given. Reads a group when the caller reaches it.
 *
 * @yields Each resource type, without subresources.
 */
export async function* servedKinds(
  client: Pick<ApiClient, 'raw'>,
  options: ReadOptions,
  wantedGroup?: string,
): AsyncGenerator<ServedKind, void> {
  for (const { group, version } of await servedGroups(client, options)) {
    if (wantedGroup !== undefined && group !== wantedGroup) continue
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    const { resources = [] } = await readDiscovery(client, path, options)
    for (const resource of resources) {
      const { name: plural, kind, namespaced } = resource
      if (!plural.includes('/')) yield { group, version, plural, kind, namespaced, resource }
    }
  }
}

async function servedGroups(
  client: Pick<ApiClient, 'raw'>,
  options: ReadOptions,
): Promise<{ group: string; version: string }[]> {
  const { groups = [] } = await readDiscovery(client, '/apis', options)
  const named = groups.flatMap(({ name, preferredVersion }) =>
    preferredVersion === undefined ? [] : [{ group: name, version: preferredVersion.version }],
  )
  return [{ group: '', version: 'v1' }, ...named]
}

function isNamed({ name, singularName, kind, shortNames = [] }: ServedResource, word: string): boolean {
  return [name, singularName, kind.toLowerCase(), ...shortNames].includes(word)
}

/** Returns an empty object for an unreadable group, so that one broken aggregated API does not hide all others. */
async function readDiscovery(client: Pick<ApiClient, 'raw'>, path: string, options: ReadOptions): Promise<Discovery> {
  const { status, value = {} } = await readJson(client, path, options)
  return status >= 400 ? {} : value
}
