import type { ApiObject } from '../../schema/json/api-object.ts'
import type { ListMetadata } from './list-metadata.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { columnsOf } from './columns-of.ts'

/** Objects as `kubectl get` shows them (`meta.k8s.io/v1.Table`). */
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

function partialMetadata(object: ApiObject): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata }
}
