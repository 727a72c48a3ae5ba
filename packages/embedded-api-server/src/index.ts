export { createApiServer, type ApiServer, type ApiServerOptions } from './api-server.ts'
export { apiServerErrors } from './errors.ts'
export { jsonLinesSink, type AuditOptions } from './request/audit/audit-response.ts'
export { jsonResponse, errorResponse } from './request/content/responses.ts'
export { createObjectWriter } from './request/create-object-writer.ts'
export { createBinding } from './request/subresources/binding.ts'
export type { ObjectWriter } from './resources/context/object-writer.ts'
export type { ServerContext } from './resources/context/server-context.ts'
export { isReady, readyCondition } from './resources/pods/pod-readiness.ts'
export { labelMatcher } from './resources/selectors/label-selector.ts'
export { keyOf, storageKey, withMetadata, type ApiObject } from './schema/json/api-object.ts'
export {
  byCodeUnit,
  equalJson,
  isObject,
  listAt,
  numberAt,
  objectAt,
  own,
  stringAt,
  valueAt,
  withField,
  withValueAt,
  type JsonObject,
} from './schema/json/json-object.ts'
export { MAX_BODY_BYTES } from './schema/json/parse-json.ts'
export { StatusError } from './schema/status/status-error.ts'
export {
  methodNotAllowed,
  notFound,
  notImplemented,
  requestTooLarge,
  unauthorized,
  resourceNotFound,
} from './schema/status/api-errors.ts'
export type { Change } from './store/change-history.ts'
export type { Collection } from './store/collection.ts'
export { createSuffix, createUid, timestamp } from './store/generated-metadata.ts'
export { createStore, type Store } from './store/store.ts'
