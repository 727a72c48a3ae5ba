import { errorText } from '@berth/text/error-text'
import { randomBytes } from 'node:crypto'
import {
  silentLogger,
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  type Clock,
  type Logger,
  type Random,
} from '@berth/types'
import { keepAggregatedRoles } from './auth/role-aggregation-controller.ts'
import { authenticate, type Caller } from './auth/authenticate.ts'
import { attributesOf, type RequestAttributes } from './auth/request-attributes.ts'
import { requireAllowed } from './auth/require-allowed.ts'
import { audited, type AuditOptions } from './request/audit/audit-response.ts'
import { createWebhookCalls, WebhookPending, type CallWebhook } from './admission/webhooks/create-webhook-calls.ts'
import type { WebhookCalls } from './resources/context/webhook-calls.ts'
import { hasWebhooks } from './admission/webhooks/webhooks.ts'
import { callWebhook } from './admission/webhooks/call-webhook.ts'
import { keepQuotas } from './admission/quotas/quota-controller.ts'
import { keepDefinitions } from './crd/definitions/definition-controller.ts'
import { createExpressionCache } from './schema/cel/expression-cache.ts'
import { createJsonCache } from './schema/json/json-cache.ts'
import { createKindRegistry } from './resources/kinds/kind-registry.ts'
import { StatusError } from './schema/status/status-error.ts'
import { internalError, PAGE_NOT_FOUND, resourceNotFound } from './schema/status/api-errors.ts'
import { parseResourcePath, withoutWatchPath } from './resources/context/resource-request.ts'
import { errorResponse, textResponse } from './request/content/responses.ts'
import { routeNonResource } from './request/route-non-resource.ts'
import { seedCluster } from './seed-cluster.ts'
import { routeResource } from './request/route-resource.ts'
import type { ServerContext } from './resources/context/server-context.ts'
import { createUid } from './store/generated-metadata.ts'
import { createBinding } from './request/subresources/binding.ts'
import { createStore, type Store } from './store/store.ts'
import { createObjectWriter } from './request/create-object-writer.ts'

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
  /** Data that are there already; default: what every cluster starts with. */
  readonly store?: Store
  /** Roles and bindings decide who may do what; otherwise whoever is known may do everything. Default: false. */
  readonly rbac?: boolean
  /** Hears of every request and its answer. */
  readonly audit?: AuditOptions
  /** How admission webhooks are asked. Default: over HTTPS. */
  readonly webhooks?: CallWebhook
}

/** An API server; with no data given it has the namespaces and priority classes that every cluster starts with. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const { clock, random, log = silentLogger, store, rbac = false, audit, webhooks = callWebhook } = options
  const context: ServerContext = {
    store: store ?? createStore(() => clock.monotonic()),
    kinds: createKindRegistry(),
    jsonOf: createJsonCache(),
    expressionOf: createExpressionCache(),
    clock,
    random,
    log,
    hasRbac: rbac,
    tokenKey: randomBytes(32).toString('hex'),
  }
  // What is there already is kept by whoever made it.
  const isNewStore = store === undefined
  keepDefinitions(context, createObjectWriter(context, 'kube-apiserver'), isNewStore)
  if (isNewStore) {
    keepAggregatedRoles(context, createObjectWriter(context, 'clusterrole-aggregation-controller'))
    keepQuotas(context, createObjectWriter(context, 'kube-controller-manager'))
    seedCluster(context)
    // No cluster remembers its beginning.
    context.store.compact()
  }
  return {
    store: context.store,
    context,
    async handle(http) {
      const receivedMs = clock.now()
      const progress: RequestProgress = {
        attributes: { verb: http.method.toLowerCase(), path: http.path },
        isAllowed: false,
      }
      const response = await handleRequest(context, http, progress, webhooks)
      if (audit === undefined) return response
      return audited(
        audit,
        clock,
        { id: createUid(random), http, receivedMs, caller: undefined, ...progress },
        response,
      )
    },
  }
}

/** How far a request has come. */
interface RequestProgress {
  attributes: RequestAttributes
  caller?: Caller
  isAllowed: boolean
}

/** Webhooks that one request may ask; more than that is a mistake. */
const MAX_WEBHOOK_CALLS = 64

async function handleRequest(
  context: ServerContext,
  http: ApiRequest,
  progress: RequestProgress,
  call: CallWebhook,
): Promise<ApiResponse> {
  try {
    if (!hasWebhooks(context)) return await routeRequest(context, http, progress)
    const calls = createWebhookCalls(call)
    const draws: number[] = []
    const nowMs = context.clock.now()
    for (let asked = 0; asked <= MAX_WEBHOOK_CALLS; asked++) {
      try {
        return await routeRequest(repeatableContext(context, draws, nowMs), http, progress, calls)
      } catch (error) {
        if (!(error instanceof WebhookPending)) throw error
        // Nothing has been written: once the answer is there, the request begins again and comes further.
        await error.make()
      }
    }
    throw internalError(`more than ${MAX_WEBHOOK_CALLS} webhooks are to be asked`)
  } catch (error) {
    if (error instanceof StatusError) return errorResponse(error)
    context.log.error({ err: error, method: http.method, path: http.path }, 'Request failed')
    return errorResponse(internalError(errorText(error)))
  }
}

// A request that begins again draws the same lots at the same time, so that it asks the same questions.
function repeatableContext(context: ServerContext, draws: number[], nowMs: number): ServerContext {
  const { clock, random } = context
  let at = 0
  return {
    ...context,
    random: () => (draws[at++] ??= random()),
    clock: {
      now: () => nowMs,
      monotonic: () => clock.monotonic(),
      setTimer: (delayMs, task) => clock.setTimer(delayMs, task),
    },
  }
}

function routeRequest(
  context: ServerContext,
  http: ApiRequest,
  progress: RequestProgress,
  webhooks?: WebhookCalls,
): ApiResponse | Promise<ApiResponse> {
  const url = withoutWatchPath(new URL(http.path, 'http://localhost'))
  const path = parseResourcePath(url.pathname)
  progress.attributes = attributesOf(http, url, path)
  progress.caller = authenticate(context, http, progress.attributes)
  const { user } = progress.caller
  requireAllowed(context, user, progress.attributes)
  progress.isAllowed = true
  if (path?.group === '' && path.plural === 'bindings' && path.name === '' && http.method === 'POST') {
    const pods = context.kinds.find('', path.version, 'pods')
    if (pods !== undefined && path.namespace !== '') {
      return createBinding(context, { ...path, kind: pods, query: url.searchParams, http, user })
    }
  }
  const kind = path === undefined ? undefined : context.kinds.find(path.group, path.version, path.plural)
  if (path === undefined || kind === undefined) {
    const meta = routeNonResource(context, user, http, url)
    if (meta !== undefined) return meta
    const isKnownGroup =
      path !== undefined &&
      context.kinds
        .all()
        .some(({ group, version, custom }) => custom === undefined && group === path.group && version === path.version)
    if (isKnownGroup || isUnknownVersion(context, url.pathname)) throw resourceNotFound()
    return textResponse(404, 'text/plain; charset=utf-8', PAGE_NOT_FOUND)
  }
  if (!kind.namespaced && path.namespace !== '') {
    if (kind.custom === undefined) throw resourceNotFound()
    return textResponse(404, 'text/plain; charset=utf-8', PAGE_NOT_FOUND)
  }
  return routeResource(context, {
    kind,
    namespace: path.namespace,
    name: path.name,
    subresource: path.subresource,
    query: url.searchParams,
    http,
    user,
    ...(webhooks === undefined ? {} : { webhooks }),
  })
}

// `/apis/GROUP/VERSION` of a group that is there.
function isUnknownVersion({ kinds }: ServerContext, pathname: string): boolean {
  const [, root, group, version] = pathname.split('/')
  return (
    root === 'apis' &&
    version !== undefined &&
    kinds.all().some((kind) => kind.custom === undefined && kind.group === group)
  )
}
