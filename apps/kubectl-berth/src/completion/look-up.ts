import { collectionPath, resourceRefs, withQuery, type ApiClient, type ResourceRef } from '@berth/k8s-client'
import type { CommandLine } from '@berth/process/command'
import { isExtendedResourceName } from '@berth/resources'
import type { KubernetesObject, Node } from '@berth/types'
import { cronJobs } from '../facts/resource-refs.ts'
import { readJson, type ReadOptions } from '../output/read-json.ts'
import type { Candidates } from '../cli/candidates.ts'
import { kindByWord } from '../cli/kind-by-word.ts'
import type { Offer } from './complete-words.ts'

/** Maximum number of objects that are read. A longer list of offers is not useful. */
const MAX_OBJECTS = 500
/** Names are enough. A server without metadata lists answers with whole objects. */
const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'

/** The kinds whose names are offered. */
const knownKinds: readonly ResourceRef[] = [...Object.values(resourceRefs), cronJobs]

/** A cluster and what the command line says about it. */
export interface LookUpOptions extends ReadOptions {
  readonly client: Pick<ApiClient, 'raw'>
  readonly line: CommandLine
  readonly namespace: string
}

/**
 * Reads the candidates of a word from the cluster. Empty when this user may not list them.
 *
 * @throws TransportError, CommandError BERTH_KUBECTL_TIMEOUT
 */
export async function lookUp(
  candidates: Exclude<Candidates, 'contexts'>,
  word: string,
  options: LookUpOptions,
): Promise<readonly Offer[]> {
  switch (candidates) {
    case 'namespaces':
      return offersOf(await namesOf(resourceRefs.namespaces, options))
    case 'nodes':
      return offersOf(await namesOf(resourceRefs.nodes, options))
    case 'pods':
      return offersOf(await namesOf(resourceRefs.pods, options))
    case 'node-labels':
      return offersOf((await nodes(options)).flatMap(({ metadata }) => Object.keys(metadata.labels ?? {})))
    case 'resources':
      return offersOf(
        (await nodes(options)).flatMap(({ status }) =>
          Object.keys(status?.capacity ?? {}).filter(isExtendedResourceName),
        ),
      )
    case 'choices':
    case 'directories':
    case 'files':
    case 'nothing':
      return []
    default:
      return objectOffers(candidates.kinds, word, options)
  }
}

async function objectOffers(kinds: readonly string[], word: string, options: LookUpOptions): Promise<readonly Offer[]> {
  const [kind, name] = word.split('/', 2)
  if (kind !== undefined && name !== undefined) {
    const resource = kindByWord(kind, knownKinds)
    const names = resource === undefined ? [] : await namesOf(resource, options)
    return offersOf(names.map((one) => `${kind}/${one}`))
  }
  const [first = ''] = options.line.words
  const resource = first.includes('/') ? undefined : kindByWord(first, knownKinds)
  return offersOf(resource === undefined ? kinds : await namesOf(resource, options))
}

async function namesOf(resource: ResourceRef, options: LookUpOptions): Promise<readonly string[]> {
  return (await itemsOf(resource, METADATA, options)).map(({ metadata }) => metadata?.name ?? '')
}

async function nodes(options: LookUpOptions): Promise<readonly Node[]> {
  // The items have the fields of their kind.
  return (await itemsOf(resourceRefs.nodes, 'application/json', options)) as readonly Node[]
}

async function itemsOf(
  resource: ResourceRef,
  accept: string,
  { client, line, namespace, ...read }: LookUpOptions,
): Promise<readonly KubernetesObject[]> {
  const scope = resource.namespaced ? (line.text('namespace') ?? namespace) : undefined
  const path = withQuery(collectionPath(resource, scope), { limit: String(MAX_OBJECTS) })
  const { status, value } = await readJson(client, path, { ...read, accept })
  const { items } = (value ?? {}) as { readonly items?: readonly KubernetesObject[] | null }
  return status === 200 ? (items ?? []) : []
}

function offersOf(values: readonly string[]): readonly Offer[] {
  return [...new Set(values)].toSorted().map((value) => ({ value }))
}
