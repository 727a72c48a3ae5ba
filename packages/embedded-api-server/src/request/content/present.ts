import type { ApiObject } from '../../schema/json/api-object.ts'
import { fromStorage, isServedAsStored } from '../../resources/kinds/storage-form.ts'
import { apiVersionOf, type ResourceKind } from '../../resources/kinds/resource-kind.ts'
import { tableOf } from './table-of.ts'
import type { Presentation } from './negotiate.ts'
import { partialMetadata } from './partial-metadata.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import type { ListMetadata } from './list-metadata.ts'

/** Returns the JSON text of a stored object in the requested form. */
export function presentObject(
  context: ServerContext,
  request: ResourceRequest,
  presentation: Presentation,
  stored: ApiObject,
): string {
  const object = fromStorage(request.kind, stored)
  if (presentation === 'object')
    return request.kind.group === 'events.k8s.io' ? JSON.stringify(object) : context.jsonOf(object)
  if (presentation === 'table')
    return JSON.stringify(
      tableOf(context, request, [object], { resourceVersion: object.metadata.resourceVersion ?? '' }),
    )
  return JSON.stringify(presentation === 'metadata' ? partialMetadata(object) : object)
}

/** Returns the JSON text of a list of stored objects in the requested form. */
export function presentList(
  context: ServerContext,
  request: ResourceRequest,
  presentation: Presentation,
  list: { readonly metadata: ListMetadata; readonly items: readonly ApiObject[] },
): string {
  const { kind } = request
  const items = isServedAsStored(kind) ? list.items : list.items.map((item) => fromStorage(kind, item))
  if (presentation === 'table') return JSON.stringify(tableOf(context, request, items, list.metadata))
  if (presentation === 'metadata') {
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
  // Items of built-in kinds omit apiVersion and kind; the list states them.
  const type = `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind.kind)},`
  const texts = items.map((item) => {
    const text = context.jsonOf(item)
    return text.startsWith(type) ? `{${text.slice(type.length)}` : jsonWithoutType(item)
  })
  return `${head.slice(0, -1)},"items":[${texts.join(',')}]}`
}

function jsonWithoutType(object: ApiObject): string {
  const { apiVersion: _, kind: __, ...rest } = object
  return JSON.stringify(rest)
}

/** Returns the JSON text of a bookmark, which tells a watch the current revision. */
export function bookmarkOf(
  kind: ResourceKind,
  presentation: Presentation,
  revision: number,
  endsInitialEvents: boolean,
): string {
  const metadata = {
    resourceVersion: String(revision),
    ...(endsInitialEvents ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
  }
  if (presentation === 'table') {
    const row = { cells: [], object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata } }
    return JSON.stringify({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: String(revision) },
      columnDefinitions: null,
      rows: [row],
    })
  }
  if (presentation === 'metadata')
    return JSON.stringify({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata })
  return JSON.stringify({ kind: kind.kind, apiVersion: apiVersionOf(kind), metadata })
}
