import { collectionPath, type ResourceRef, withQuery } from '@berth/k8s-client'
import type { KubernetesList, KubernetesObject } from '@berth/types'
import { readJson, type ReadOptions } from '../output/read-json.ts'
import type { ApiClient } from '@berth/k8s-client'
import type { CustomObjects, CustomResourceDefinition } from './fact-kinds.ts'
import { managersOf } from './managed-fields.ts'

/** Kinds that are counted at the same time. */
const CONCURRENCY = 8

/**
 * Counts the objects of each custom kind with one request for each, which returns one object and the number of the others.
 * A kind that does not answer is left out.
 *
 * @param onRefused - Receives each kind that this user may not list.
 */
export async function readCustomObjects(
  definitions: readonly CustomResourceDefinition[],
  { client, ...options }: ReadOptions & { readonly client: Pick<ApiClient, 'raw'> },
  onRefused: (kind: ResourceRef) => void,
): Promise<readonly CustomObjects[]> {
  const counted: CustomObjects[] = []
  for (let start = 0; start < definitions.length; start += CONCURRENCY) {
    const batch = definitions.slice(start, start + CONCURRENCY)
    const answers = await Promise.all(batch.map((definition) => countObjects(definition, client, options, onRefused)))
    counted.push(...answers.flat())
  }
  return counted
}

async function countObjects(
  { metadata, spec }: CustomResourceDefinition,
  client: Pick<ApiClient, 'raw'>,
  options: ReadOptions,
  onRefused: (kind: ResourceRef) => void,
): Promise<readonly CustomObjects[]> {
  const served = spec.versions?.filter((version) => version.served === true) ?? []
  const version = (served.find(({ storage }) => storage === true) ?? served[0])?.name
  if (version === undefined) return []
  const { plural, kind } = spec.names
  const resource = { group: spec.group, version, plural, kind, namespaced: spec.scope !== 'Cluster' }
  const path = withQuery(collectionPath(resource), { limit: '1' })
  const { status, value } = await readJson(client, path, options)
  if (status === 403) onRefused(resource)
  const { items, metadata: list } = (value ?? {}) as Partial<KubernetesList<KubernetesObject>>
  if (status !== 200 || !Array.isArray(items)) return []
  const [first] = items as readonly KubernetesObject[]
  return [
    {
      definition: metadata.name ?? '',
      count: items.length + (list?.remainingItemCount ?? 0),
      statusWriters: first?.metadata === undefined ? [] : managersOf(first.metadata, 'status'),
    },
  ]
}
