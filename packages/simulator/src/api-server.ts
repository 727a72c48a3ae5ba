import {
  silentLogger,
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  type Clock,
  type Logger,
  type Random,
} from '@berth/types'
import { createJsonCache } from './json/json-cache.ts'
import { createKindRegistry } from './kinds/kind-registry.ts'
import { ApiRefusal } from './refusal/api-refusal.ts'
import { internalError, PAGE_NOT_FOUND, unknownResource } from './refusal/refusals.ts'
import { parseResourcePath } from './server/resource-request.ts'
import { refusalResponse, textResponse } from './server/respond.ts'
import { routeMeta } from './server/route-meta.ts'
import { seedCluster } from './server/seed-cluster.ts'
import { routeResource } from './server/route-resource.ts'
import type { ServerContext } from './server/server-context.ts'
import { createBinding } from './subresources/binding.ts'
import { createStore, type Store } from './store/store.ts'
import { createListSnapshots } from './verbs/list-snapshots.ts'

/** A simulated API server: a state machine that answers requests. It runs nothing on its own but watch timers. */
export interface ApiServer {
  /** Answers one request in process. */
  readonly handle: ApiHandler
  /** What it remembers, for controllers and tests: `compact()` makes old watches expire. */
  readonly store: Store
  /** What its verbs work with; controllers write through it. */
  readonly context: ServerContext
}

/** What an API server is made of. */
export interface ApiServerOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log?: Logger
}

/** An API server with the namespaces and priority classes that every cluster starts with. */
export function createApiServer({ clock, random, log = silentLogger }: ApiServerOptions): ApiServer {
  const context: ServerContext = {
    store: createStore(),
    kinds: createKindRegistry(),
    snapshots: createListSnapshots(),
    jsonOf: createJsonCache(),
    clock,
    random,
    log,
  }
  seedCluster(context)
  return {
    store: context.store,
    context,
    async handle(http) {
      try {
        return await answer(context, http)
      } catch (error) {
        if (error instanceof ApiRefusal) return refusalResponse(error)
        log.error({ err: error, method: http.method, path: http.path }, 'Request failed')
        return refusalResponse(internalError(error instanceof Error ? error.message : String(error)))
      }
    },
  }
}

function answer(context: ServerContext, http: ApiRequest): ApiResponse | Promise<ApiResponse> {
  const url = new URL(http.path, 'http://localhost')
  const path = parseResourcePath(url.pathname)
  if (path?.group === '' && path.plural === 'bindings' && path.name === '' && http.method === 'POST') {
    const pods = context.kinds.find('', path.version, 'pods')
    if (pods !== undefined && path.namespace !== '') {
      return createBinding(context, { ...path, kind: pods, query: url.searchParams, http })
    }
  }
  const kind = path === undefined ? undefined : context.kinds.find(path.group, path.version, path.plural)
  if (path === undefined || kind === undefined) {
    const meta = routeMeta(context, http, url)
    if (meta !== undefined) return meta
    const isKnownGroup =
      path !== undefined &&
      context.kinds.all().some(({ group, version }) => group === path.group && version === path.version)
    if (isKnownGroup || isUnknownVersion(context, url.pathname)) throw unknownResource()
    return textResponse(404, 'text/plain; charset=utf-8', PAGE_NOT_FOUND)
  }
  if (!kind.namespaced && path.namespace !== '') throw unknownResource()
  return routeResource(context, {
    kind,
    namespace: path.namespace,
    name: path.name,
    subresource: path.subresource,
    query: url.searchParams,
    http,
  })
}

// `/apis/GROUP/VERSION` of a group that is there.
function isUnknownVersion({ kinds }: ServerContext, pathname: string): boolean {
  const [, root, group, version] = pathname.split('/')
  return root === 'apis' && version !== undefined && kinds.all().some((kind) => kind.group === group)
}
