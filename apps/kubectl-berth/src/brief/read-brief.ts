import { isApiStatus, resourceRefs, type ApiClient, type ResourceRef } from '@berth/k8s-client'
import type { BriefInput } from './brief-tree.ts'
import { endpointSlices, scalers } from '../facts/resource-refs.ts'
import { readNamedObjects, readScaleSelectors } from './named-objects.ts'
import { podLabelsOf } from './pod-labels.ts'
import { listTable, type KindTable, type TableQuery } from './kind-table.ts'

/** Options of {@link readBrief}. */
export interface BriefQuery extends TableQuery {
  readonly kinds: readonly ResourceRef[]
  /** The objects to show instead of all workloads; empty: all of `kinds`. */
  readonly named: readonly NamedKind[]
  /** Plurals of the kinds that the user asked for. */
  readonly topKinds: ReadonlySet<string>
  /** Further kinds whose objects have a workload's name or owner. */
  readonly related: readonly ResourceRef[]
  readonly isWide: boolean
  /** The namespace that is read where this user may list nothing in all namespaces. */
  readonly fallbackNamespace: string
  /** Receives a sentence for each kind that this user may not list. */
  readonly onMissing: (sentence: string) => void
}

/** Objects of one kind that the user named. */
export interface NamedKind {
  readonly resource: ResourceRef
  /** Undefined: every object of the kind. */
  readonly names: readonly string[] | undefined
}

/**
 * Reads the objects of a brief: those of the fallback namespace where a brief of all namespaces is refused.
 *
 * @throws what {@link readIn} throws.
 */
export async function readBrief(client: ApiClient, query: BriefQuery): Promise<BriefInput> {
  if (query.namespace !== undefined) return readIn(client, query)
  try {
    return await readIn(client, query)
  } catch (error) {
    if (!isApiStatus(error, 403)) throw error
    const namespace = query.fallbackNamespace
    const input = await readIn(client, { ...query, namespace })
    query.onMissing(`Only namespace ${namespace} is shown: this user may not list all namespaces.`)
    return input
  }
}

/**
 * Reads the objects of a brief. Skips kinds that the server does not serve, and skips and reports kinds that this user
 * may not list, because an incomplete brief is better than none.
 *
 * @throws the client's errors for every other failed call, or when the user may list none of the kinds.
 */
async function readIn(client: ApiClient, query: BriefQuery): Promise<BriefInput> {
  const { kinds, isWide, onMissing, labelSelector } = query
  const all = { namespace: query.namespace, signal: query.signal, deadline: query.deadline }
  const refused: unknown[] = []
  const sentences: string[] = []
  let answers = 0
  const read = (resource: ResourceRef, labels?: string, scope = all): Promise<KindTable> =>
    listTable(client, resource, { ...scope, ...(labels !== undefined && { labelSelector: labels }) }).then(
      (table) => {
        answers++
        return table
      },
      (error: unknown) => {
        if (isApiStatus(error, 403)) {
          refused.push(error)
          sentences.push(`${resource.plural} are skipped: ${error.serverMessage}`)
        } else if (!isApiStatus(error, 404)) throw error
        return { resource, columns: [], rows: [] }
      },
    )
  const readNamed = async (resource: ResourceRef, names: readonly string[] | undefined): Promise<KindTable> => {
    const table = await readNamedObjects(client, resource, names, { ...all, labelSelector })
    answers++
    return table
  }
  const hasClusterWide = query.named.some(({ resource }) => !resource.namespaced)
  const podScope = hasClusterWide ? { ...all, namespace: undefined } : all
  const [workloads, replicaSets, jobs, pods, services, slices, related] = await Promise.all([
    query.named.length > 0
      ? Promise.all(query.named.map(({ resource, names }) => readNamed(resource, names)))
      : Promise.all(kinds.map((kind) => read(kind, labelSelector))),
    read(resourceRefs.replicaSets),
    query.named.some(({ resource }) => resource.plural === 'cronjobs') ? read(resourceRefs.jobs) : undefined,
    read(resourceRefs.pods, undefined, podScope),
    read(resourceRefs.services),
    read(endpointSlices),
    Promise.all([scalers, resourceRefs.persistentVolumeClaims, ...query.related].map((kind) => read(kind))),
  ])
  if (answers === 0 && refused.length > 0) throw refused[0]
  for (const sentence of sentences) onMissing(sentence)
  const shown = new Set(workloads.map(({ resource }) => resource.plural))
  const between = [replicaSets, ...(jobs === undefined ? [] : [jobs])]
  const owners = new Set(
    [pods, ...between].flatMap(({ rows }) =>
      rows.flatMap(({ object }) => (object.metadata?.ownerReferences ?? []).map(({ uid }) => uid)),
    ),
  )
  const selectors = await Promise.all(
    workloads
      .filter(({ resource }) => isCustom(resource))
      .map((table) => readScaleSelectors(client, withoutPods(table, owners), all)),
  )
  return {
    workloads: workloads.filter(({ resource }) => resource.plural !== 'pods'),
    between: between.filter(({ resource }) => !shown.has(resource.plural)),
    pods,
    shownPods: workloads.find(({ resource }) => resource.plural === 'pods')?.rows,
    services,
    endpointSlices: slices.rows.map(({ object }) => object),
    related,
    topKinds: query.topKinds,
    scaleSelectors: new Map(selectors.flatMap((one) => [...one])),
    isWide,
    withLoosePods: labelSelector === undefined && query.named.length === 0,
  }
}

/**
 * Keeps the objects whose pods only the scale subresource can tell: they own nothing and have no selector. Each costs a
 * request.
 */
function withoutPods(table: KindTable, owners: ReadonlySet<string>): KindTable {
  return {
    ...table,
    rows: table.rows.filter(
      ({ object }) => !owners.has(object.metadata?.uid ?? '') && podLabelsOf(object) === undefined,
    ),
  }
}

/** Built-in workloads own their pods, so their scale subresource need not be read. */
function isCustom({ group }: ResourceRef): boolean {
  return group.includes('.') && !group.endsWith('.k8s.io')
}
