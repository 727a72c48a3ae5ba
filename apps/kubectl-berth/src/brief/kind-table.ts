import { ApiError, collectionPath, withQuery, type ApiClient, type ResourceRef } from '@berth/k8s-client'
import type { KubernetesObject } from '@berth/types'
import { CommandError } from '../errors.ts'
import { readJson, type ReadOptions } from '../output/read-json.ts'

/** Requests server-side printing, as kubectl does, so that custom kinds come with their own columns. */
const ACCEPT = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'
const PAGE = 2_500
const MAX_PAGES = 1_000

/** A column as the server names it. */
export interface KindColumn {
  readonly name: string
  /** Shown only with -o wide. */
  readonly isWide: boolean
}

/** One object with its printed cells, one per column. */
export interface KindRow {
  readonly object: KubernetesObject
  readonly cells: readonly string[]
}

/** The objects of one kind with their printed cells. */
export interface KindTable {
  readonly resource: ResourceRef
  readonly columns: readonly KindColumn[]
  readonly rows: readonly KindRow[]
}

/** Options of {@link listTable}. */
export interface TableQuery extends ReadOptions {
  /** Omit to list all namespaces. */
  readonly namespace: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  /** Whether to read the whole objects or only their metadata, as for Secrets. Default: true. */
  readonly withObjects?: boolean
}

/**
 * Lists a kind as a table (`meta.k8s.io/v1 Table`). Falls back to names when the server does not print tables.
 *
 * @throws ApiError when the server refuses, and CommandError BERTH_KUBECTL_ANSWER when the response is not a list.
 */
export async function listTable(client: ApiClient, resource: ResourceRef, query: TableQuery): Promise<KindTable> {
  const rows: KindRow[] = []
  let columns: readonly KindColumn[] = []
  let next: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const path = withQuery(collectionPath(resource, query.namespace), {
      labelSelector: query.labelSelector,
      fieldSelector: query.fieldSelector,
      includeObject: query.withObjects === false ? 'Metadata' : 'Object',
      limit: String(PAGE),
      continue: next,
    })
    const answer = await readTable(client, resource, path, query)
    const part = tablePart(answer, resource)
    columns = part.columns
    rows.push(...part.rows)
    next = answer.metadata?.continue
    if (next === undefined || next === '') break
  }
  return { resource, columns, rows }
}

interface TableResponse {
  readonly kind?: string
  readonly metadata?: { readonly continue?: string }
  readonly columnDefinitions?: readonly { readonly name: string; readonly priority?: number }[]
  readonly rows?: readonly { readonly cells: readonly unknown[]; readonly object?: KubernetesObject }[] | null
  readonly items?: readonly KubernetesObject[] | null
}

async function readTable(
  client: ApiClient,
  resource: ResourceRef,
  path: string,
  { signal, deadline }: ReadOptions,
): Promise<TableResponse> {
  const { status, value } = await readJson(client, path, { signal, deadline, accept: ACCEPT })
  if (status >= 400) {
    const subject = { verb: 'list', resource: resource.plural, group: resource.group }
    throw new ApiError(subject, status, value ?? {})
  }
  if (value === undefined) throw notAList(resource)
  return value
}

function tablePart(answer: TableResponse, resource: ResourceRef): Pick<KindTable, 'columns' | 'rows'> {
  if (answer.columnDefinitions !== undefined) {
    const columns = answer.columnDefinitions.map(({ name, priority = 0 }) => ({ name, isWide: priority > 0 }))
    const rows = (answer.rows ?? []).map(({ cells, object = {} }) => ({
      object: { ...object, kind: resource.kind },
      cells: cells.map(cellText),
    }))
    return { columns, rows }
  }
  if (!Array.isArray(answer.items)) throw notAList(resource)
  const rows = (answer.items as readonly KubernetesObject[]).map((object) => ({
    // Items of a list omit their kind.
    object: { ...object, kind: resource.kind },
    cells: [object.metadata?.name ?? ''],
  }))
  return { columns: [{ name: 'Name', isWide: false }], rows }
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined || cell === '') return '<none>'
  return typeof cell === 'string' ? cell : JSON.stringify(cell)
}

function notAList(resource: ResourceRef): CommandError {
  return new CommandError(`list ${resource.plural}: the response of the API server is not a list`, {
    code: 'BERTH_KUBECTL_ANSWER',
  })
}
