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

/**
 * Writes a list of stored objects in the requested form.
 *
 * @yields The pieces of its JSON text.
 */
export function* presentList(
  context: ServerContext,
  request: ResourceRequest,
  presentation: Presentation,
  list: { readonly metadata: ListMetadata; readonly items: readonly ApiObject[] },
): Generator<string, undefined> {
  const { kind } = request
  const items = isServedAsStored(kind) ? list.items : list.items.map((item) => fromStorage(kind, item))
  if (presentation === 'table') {
    yield JSON.stringify(tableOf(context, request, items, list.metadata))
    return
  }
  if (presentation === 'metadata') {
    const head = { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata: list.metadata }
    yield* listPieces(head, items, (item) => JSON.stringify(partialMetadata(item)))
    return
  }
  const apiVersion = apiVersionOf(kind)
  const listKind = kind.custom?.listKind ?? `${kind.kind}List`
  if (kind.custom !== undefined) {
    const metadata = { continue: '', ...list.metadata }
    yield* listPieces({ kind: listKind, apiVersion, metadata }, items, context.jsonOf)
    return
  }
  // Items of built-in kinds omit apiVersion and kind; the list states them.
  const type = `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind.kind)},`
  yield* listPieces({ kind: listKind, apiVersion, metadata: list.metadata }, items, (item) => {
    const text = context.jsonOf(item)
    return text.startsWith(type) ? `{${text.slice(type.length)}` : jsonWithoutType(item)
  })
}

function* listPieces(
  head: object,
  items: readonly ApiObject[],
  textOf: (item: ApiObject) => string,
): Generator<string, undefined> {
  yield `${JSON.stringify(head).slice(0, -1)},"items":[`
  let separator = ''
  for (const item of items) {
    yield separator + textOf(item)
    separator = ','
  }
  yield ']}'
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
