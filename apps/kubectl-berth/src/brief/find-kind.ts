import { type ApiClient, type ResourceRef } from '@berth/k8s-client'
import { CommandError } from '../errors.ts'

interface ServedResource {
  readonly name: string
  readonly singularName?: string
  readonly namespaced: boolean
  readonly kind: string
  readonly shortNames?: readonly string[]
}

/**
 * Finds a resource type by plural, singular, kind or short name, optionally with its group (`clonesets.apps.kruise.io`),
 * through API discovery.
 *
 * @throws CommandError BERTH_KUBECTL_KIND when the API server does not serve the type, and the client's own errors.
 */
export async function findKind(client: ApiClient, wanted: string, signal: AbortSignal): Promise<ResourceRef> {
  const [word = '', ...rest] = wanted.toLowerCase().split('.')
  const wantedGroup = rest.join('.')
  for (const { group, version } of await servedGroups(client, signal)) {
    if (rest.length > 0 && group !== wantedGroup) continue
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    const { resources = [] } = await readJson<{ resources?: readonly ServedResource[] }>(client, path, signal)
    const found = resources.find((resource) => !resource.name.includes('/') && isNamed(resource, word))
    if (found === undefined) continue
    return { group, version, plural: found.name, kind: found.kind, namespaced: found.namespaced }
  }
  throw new CommandError(`find resource type ${wanted}: the API server does not serve it`, {
    code: 'BERTH_KUBECTL_KIND',
    hint: 'List the resource types: kubectl api-resources',
  })
}

async function servedGroups(client: ApiClient, signal: AbortSignal): Promise<{ group: string; version: string }[]> {
  const { groups = [] } = await readJson<{
    groups?: readonly { readonly name: string; readonly preferredVersion?: { readonly version: string } }[]
  }>(client, '/apis', signal)
  const named = groups.flatMap(({ name, preferredVersion }) =>
    preferredVersion === undefined ? [] : [{ group: name, version: preferredVersion.version }],
  )
  return [{ group: '', version: 'v1' }, ...named]
}

function isNamed({ name, singularName, kind, shortNames = [] }: ServedResource, word: string): boolean {
  return [name, singularName, kind.toLowerCase(), ...shortNames].includes(word)
}

/** Reads JSON. An unreadable group counts as empty, so that one broken aggregated API does not hide all others. */
async function readJson<T extends object>(client: ApiClient, path: string, signal: AbortSignal): Promise<T> {
  const response = await client.raw({ method: 'GET', path, headers: { accept: 'application/json' }, signal })
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body) chunks.push(chunk)
  if (response.status >= 400) return {} as T
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    return (typeof value === 'object' && value !== null ? value : {}) as T
  } catch {
    return {} as T
  }
}
