export { createApiServer, type ApiServer, type ApiServerOptions } from './api-server.ts'
export { simulatorErrors } from './errors.ts'
export type { Change, ChangeListener, Collection } from './store/collection.ts'
export type { Store } from './store/store.ts'
