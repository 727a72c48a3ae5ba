import type { ApiObject } from '../../schema/json/api-object.ts'
import { fromStorage, isShownAsStored } from '../../resources/kinds/storage-form.ts'
import { apiVersionOf, type ResourceKind } from '../../resources/kinds/resource-kind.ts'
import { tableOf } from './table-of.ts'
import type { Presentation } from './negotiate.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import type { ListMetadata } from './list-metadata.ts'

/** The JSON text of a stored object in the form that the client wants. */
export function presentObject(
  context: ServerContext,
  request: ResourceRequest,
  as: Presentation,
  stored: ApiObject,
): string {
  const object = fromStorage(request.kind, stored)
  if (as === 'object') return request.kind.group === 'events.k8s.io' ? JSON.stringify(object) : context.jsonOf(object)
  if (as === 'table')
    return JSON.stringify(
      tableOf(context, request, [object], { resourceVersion: object.metadata.resourceVersion ?? '' }),
    )
  return JSON.stringify(as === 'metadata' ? partialMetadata(object) : object)
}

/** The JSON text of a list of stored objects in the form that the client wants. */
export function presentList(
  context: ServerContext,
  request: ResourceRequest,
  as: Presentation,
  list: { readonly metadata: ListMetadata; readonly items: readonly ApiObject[] },
): string {
  const { kind } = request
  const items = isShownAsStored(kind) ? list.items : list.items.map((item) => fromStorage(kind, item))
  if (as === 'table') return JSON.stringify(tableOf(context, request, items, list.metadata))
  if (as === 'metadata') {
    return JSON.stringify({
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: list.metadata,
      items: items.map(partialMetadata),
    })
  }
  const apiVersion = apiVersionOf(kind)
  const listKind = kind.custom?.listKind ?? `${kind.kind}List`
  if (kind.custom !== undefined) {
    const metadata = { continue: '', ...list.metadata }
    const own = JSON.stringify({ kind: listKind, apiVersion, metadata })
    return `${own.slice(0, -1)},"items":[${items.map(context.jsonOf).join(',')}]}`
  }
  const head = JSON.stringify({ kind: listKind, apiVersion, metadata: list.metadata })
  // Items of built-in kinds do not say what they are, the list does.
  const type = `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind.kind)},`
  const texts = items.map((item) => {
    const text = context.jsonOf(item)
    return text.startsWith(type) ? `{${text.slice(type.length)}` : withoutType(item)
  })
  return `${head.slice(0, -1)},"items":[${texts.join(',')}]}`
}

function withoutType(object: ApiObject): string {
  const { apiVersion: _, kind: __, ...rest } = object
  return JSON.stringify(rest)
}

/** The bookmark that tells a watch how far it has come. */
export function bookmarkOf(kind: ResourceKind, as: Presentation, revision: number, endsInitialEvents: boolean): string {
  const metadata = {
    resourceVersion: String(revision),
    ...(endsInitialEvents ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
  }
  if (as === 'table') {
    const row = { cells: [], object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata } }
    return JSON.stringify({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: String(revision) },
      columnDefinitions: null,
      rows: [row],
    })
  }
  if (as === 'metadata')
    return JSON.stringify({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata })
  return JSON.stringify({ kind: kind.kind, apiVersion: apiVersionOf(kind), metadata })
}

function partialMetadata(object: ApiObject): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata }
}
