import type { ApiObject } from '../schema/json/api-object.ts'
import { equalJson, withField } from '../schema/json/json-object.ts'
import type { ResourceKind } from '../resources/kinds/resource-kind.ts'
import type { ResourceRequest } from '../resources/context/resource-request.ts'
import type { ServerContext } from '../resources/context/server-context.ts'
import { prepareNew, storeNew } from './verbs/create.ts'
import { removeObject, type DeleteOptions } from './verbs/delete.ts'
import { prepareUpdate, recorded, writeUpdate } from './verbs/update.ts'

/** How controllers write: through the same rules as everybody, at once, by the kind's storage name. */
export interface ControllerClient {
  /** @param statusOf - What a new object starts with as its status, where it is not what every new one starts with. */
  create(storage: string, object: ApiObject, statusOf?: (prepared: ApiObject) => object): ApiObject
  update(storage: string, old: ApiObject, next: ApiObject): ApiObject
  /** Writes `status` if it differs. */
  updateStatus(storage: string, old: ApiObject, status: object): ApiObject
  remove(storage: string, object: ApiObject, options?: DeleteOptions): void
}

/** A client that writes as `manager`. */
export function createControllerClient(context: ServerContext, manager: string): ControllerClient {
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
      next: recorded(context, request, old, prepareUpdate(request, old, next)),
    })
  }
  return {
    create(storage, object, statusOf) {
      const request = requestFor(storage, object)
      const prepared = prepareNew(context, request, object)
      const started = statusOf === undefined ? prepared : withField(prepared, 'status', statusOf(prepared))
      return storeNew(context, request, started)
    },
    update: (storage, old, next) => write(storage, old, next, ''),
    updateStatus: (storage, old, status) =>
      equalJson(old['status'], status) ? old : write(storage, old, withField(old, 'status', status), 'status'),
    remove(storage, object, options = {}) {
      removeObject(context, requestFor(storage, object), object, options)
    },
  }
}
