import type { ApiObject } from '../../schema/json/api-object.ts'
import type { ListMetadata } from './list-metadata.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import type { ResourceKind } from '../../resources/kinds/resource-kind.ts'
import { ageColumn, nameColumn } from '../../resources/table/basic-columns.ts'
import { builtInColumns } from '../../resources/table/built-in-columns.ts'
import type { Column } from '../../resources/table/column.ts'
import { partialMetadata } from './partial-metadata.ts'

const DEFAULT_COLUMNS: readonly Column[] = [nameColumn, ageColumn]

/** Returns the columns of a kind, in upstream's order. */
export function columnsOf(kind: ResourceKind): readonly Column[] {
  return kind.custom?.columns ?? builtInColumns.get(kind.storage) ?? DEFAULT_COLUMNS
}

/** Returns objects as the table that `kubectl get` shows (`meta.k8s.io/v1.Table`). */
export function tableOf(
  { clock }: ServerContext,
  request: ResourceRequest,
  objects: readonly ApiObject[],
  metadata: ListMetadata,
): object {
  const columns = columnsOf(request.kind)
  const includeObject = request.query.get('includeObject') ?? 'Metadata'
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: columns.map(({ name, type = 'string', format = '', priority = 0, description = name }) => ({
      name,
      type,
      format,
      description,
      priority,
    })),
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, clock.now())),
      object: includeObject === 'None' ? null : includeObject === 'Object' ? object : partialMetadata(object),
    })),
  }
}
