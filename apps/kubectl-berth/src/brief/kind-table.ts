import { ApiError, collectionPath, withQuery, type ApiClient, type ResourceRef } from '@berth/k8s-client'
import type { KubernetesObject, Status } from '@berth/types'
import { CommandError } from '../errors.ts'

/** Asks the server to print, as kubectl does: custom kinds then come with their own columns. */
const ACCEPT = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'
const PAGE = 500
const MAX_PAGES = 1_000

/** A column as the server names it. */
export interface KindColumn {
  readonly name: string
  /** Only for -o wide. */
  readonly isWide: boolean
}

/** One object with its printed cells, one per column. */
export interface KindRow {
  readonly object: KubernetesObject
  readonly cells: readonly string[]
}

/** The objects of one kind, printed by the server. */
export interface KindTable {
  readonly resource: ResourceRef
  readonly columns: readonly KindColumn[]
  readonly rows: readonly KindRow[]
}

/** What to list. */
export interface TableQuery {
  /** undefined: all namespaces. */
  readonly namespace: string | undefined
  readonly labelSelector?: string | undefined
  /** false: names only, for objects whose content is nobody's business. Default: true. */
  readonly withObjects?: boolean
  readonly signal: AbortSignal
}

/**
 * Lists a kind as a table (`meta.k8s.io/v1 Table`). A server that cannot print gives name and age.
 *
 * @throws ApiError when the server refuses; CommandError BERTH_KUBECTL_ANSWER when it answers with something else.
 */
export async function listTable(client: ApiClient, resource: ResourceRef, query: TableQuery): Promise<KindTable> {
  const rows: KindRow[] = []
  let columns: readonly KindColumn[] = []
  let next: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const path = withQuery(collectionPath(resource, query.namespace), {
      labelSelector: query.labelSelector,
      includeObject: query.withObjects === false ? 'Metadata' : 'Object',
      limit: String(PAGE),
      continue: next,
    })
    const answer = await readJson(client, resource, path, query.signal)
    const part = tablePart(answer, resource)
    columns = part.columns
    rows.push(...part.rows)
    next = answer.metadata?.continue
    if (next === undefined || next === '') break
  }
  return { resource, columns, rows }
}

interface Answer {
  readonly kind?: string
  readonly metadata?: { readonly continue?: string }
  readonly columnDefinitions?: readonly { readonly name: string; readonly priority?: number }[]
  readonly rows?: readonly { readonly cells: readonly unknown[]; readonly object?: KubernetesObject }[] | null
  readonly items?: readonly KubernetesObject[] | null
}

async function readJson(client: ApiClient, resource: ResourceRef, path: string, signal: AbortSignal): Promise<Answer> {
  const response = await client.raw({ method: 'GET', path, headers: { accept: ACCEPT }, signal })
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body) chunks.push(chunk)
  const parsed = parseObject(Buffer.concat(chunks).toString('utf8'))
  if (response.status >= 400) {
    const subject = { verb: 'list', resource: resource.plural, group: resource.group }
    throw new ApiError(subject, response.status, (parsed ?? {}) as Status)
  }
  if (parsed === undefined) throw noList(resource)
  return parsed
}

function parseObject(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function tablePart(answer: Answer, resource: ResourceRef): Pick<KindTable, 'columns' | 'rows'> {
  if (answer.columnDefinitions !== undefined) {
    const columns = answer.columnDefinitions.map(({ name, priority = 0 }) => ({ name, isWide: priority > 0 }))
    const rows = (answer.rows ?? []).map(({ cells, object = {} }) => ({
      object: { ...object, kind: resource.kind },
      cells: cells.map(cellText),
    }))
    return { columns, rows }
  }
  if (!Array.isArray(answer.items)) throw noList(resource)
  const rows = (answer.items as readonly KubernetesObject[]).map((object) => ({
    // Members of a list do not name their kind.
    object: { ...object, kind: resource.kind },
    cells: [object.metadata?.name ?? ''],
  }))
  return { columns: [{ name: 'Name', isWide: false }], rows }
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined || cell === '') return '<none>'
  return typeof cell === 'string' ? cell : JSON.stringify(cell)
}

function noList(resource: ResourceRef): CommandError {
  return new CommandError(`list ${resource.plural}: the server answered with something that is no list`, {
    code: 'BERTH_KUBECTL_ANSWER',
  })
}
