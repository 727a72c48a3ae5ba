import type { ApiObject } from '../schema/json/api-object.ts'
import { equalJson, withField } from '../schema/json/json-object.ts'
import type { ResourceKind } from '../resources/kinds/resource-kind.ts'
import type { ResourceRequest } from '../resources/context/resource-request.ts'
import type { ServerContext } from '../resources/context/server-context.ts'
import { prepareCreate, storeCreated } from './verbs/create.ts'
import { removeObject } from './verbs/delete.ts'
import { prepareUpdate, withWriter, writeUpdate } from './verbs/update.ts'
import type { ObjectWriter } from '../resources/context/object-writer.ts'

/** Returns a writer whose writes are recorded for the field manager `manager`. */
export function createObjectWriter(context: ServerContext, manager: string): ObjectWriter {
  const kindOf = (storage: string): ResourceKind => {
    const kind = context.kinds.all().find((each) => each.storage === storage)
    if (kind === undefined) throw new Error(`no kind is stored as ${storage}`)
    return kind
  }
  const requestFor = (storage: string, object: ApiObject, subresource = ''): ResourceRequest => ({
    kind: kindOf(storage),
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
    subresource,
    query: new URLSearchParams({ fieldManager: manager }),
    http: { method: 'PUT', path: '', headers: {} },
  })
  const write = (storage: string, old: ApiObject, next: ApiObject, subresource: string): ApiObject => {
    const request = requestFor(storage, old, subresource)
    return writeUpdate(context, request, {
      old,
      next: withWriter(context, request, old, prepareUpdate(request, old, next)),
    })
  }
  return {
    create(storage, object, statusOf) {
      const request = requestFor(storage, object)
      const prepared = prepareCreate(context, request, object)
      const withStatus = statusOf === undefined ? prepared : withField(prepared, 'status', statusOf(prepared))
      return storeCreated(context, request, withStatus)
    },
    update: (storage, old, next) => write(storage, old, next, ''),
    updateStatus: (storage, old, status) =>
      equalJson(old['status'], status) ? old : write(storage, old, withField(old, 'status', status), 'status'),
    remove(storage, object, options = {}) {
      removeObject(context, requestFor(storage, object), object, options)
    },
  }
}
