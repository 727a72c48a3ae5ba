import { type ApiClient, objectPath, type ResourceRef } from '@berth/k8s-client'
import { shellCommand } from '@berth/text/shell-command'
import { CommandError, UsageError } from '../errors.ts'
import { readJson, type ReadOptions } from '../output/read-json.ts'
import { listTable, type KindTable } from './kind-table.ts'
import { parseLabels } from './pod-labels.ts'

const HELP = 'Run: kubectl berth brief --help'

/** An object that the command line names. */
export interface NamedObject {
  /** As the user wrote it: `deploy`, `clonesets.apps.kruise.io`. */
  readonly kind: string
  /** Undefined: every object of the kind. */
  readonly name: string | undefined
}

/**
 * Reads `deploy/web job/train`, `deploy web api` or `deploy`.
 *
 * @throws UsageError BERTH_KUBECTL_USAGE
 */
export function parseNamedObjects(words: readonly string[]): readonly NamedObject[] {
  const [kind = '', ...names] = words
  if (words.length === 0) return []
  if (!kind.includes('/'))
    return names.length === 0 ? [{ kind, name: undefined }] : names.map((name) => ({ kind, name }))
  return words.map((word) => {
    const [first = '', name = '', ...rest] = word.split('/')
    if (first === '' || name === '' || rest.length > 0)
      throw new UsageError(`brief: expected KIND/NAME, not "${word}"`, HELP)
    return { kind: first, name }
  })
}

/**
 * Reads named objects of one kind as a table.
 *
 * @param names - Undefined: every object.
 * @throws CommandError BERTH_KUBECTL_NOT_FOUND for a name that does not exist, and the client's errors.
 */
export async function readNamedObjects(
  client: ApiClient,
  resource: ResourceRef,
  names: readonly string[] | undefined,
  query: ReadOptions & { readonly namespace: string | undefined; readonly labelSelector?: string | undefined },
): Promise<KindTable> {
  const namespace = resource.namespaced ? query.namespace : undefined
  if (names === undefined) return listTable(client, resource, { ...query, namespace })
  const tables = await Promise.all(
    names.map((name) => listTable(client, resource, { ...query, namespace, fieldSelector: `metadata.name=${name}` })),
  )
  const missing = names.find((_, index) => (tables[index]?.rows ?? []).length === 0)
  if (missing !== undefined) {
    const where = namespace === undefined ? [] : ['-n', namespace]
    throw new CommandError(`read ${resource.kind.toLowerCase()} ${missing}: not found`, {
      code: 'BERTH_KUBECTL_NOT_FOUND',
      hint: `List them: ${shellCommand('kubectl', 'get', resource.plural, ...where)}`,
    })
  }
  return { resource, columns: tables[0]?.columns ?? [], rows: tables.flatMap(({ rows }) => rows) }
}

/**
 * Reads the labels of the pods that each object scales from its scale subresource. Objects without one, and selectors that
 * are not a list of labels, are left out.
 */
export async function readScaleSelectors(
  client: ApiClient,
  { resource, rows }: KindTable,
  options: ReadOptions,
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const found = await Promise.all(
    rows.map(async ({ object }) => {
      const { name = '', namespace, uid = '' } = object.metadata ?? {}
      const target = { name, ...(namespace !== undefined && { namespace }) }
      const { status, value } = await readJson(client, objectPath(resource, target, 'scale'), options)
      const { status: scale } = (value ?? {}) as { readonly status?: { readonly selector?: unknown } }
      const labels = status === 200 && typeof scale?.selector === 'string' ? parseLabels(scale.selector) : undefined
      return labels === undefined ? [] : [[uid, labels] as const]
    }),
  )
  return new Map(found.flat())
}
