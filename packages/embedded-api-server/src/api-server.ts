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
import { startRoleAggregationController } from './auth/role-aggregation-controller.ts'
import { auditResponse, type AuditOptions } from './request/audit/audit-response.ts'
import type { CallWebhook } from './admission/webhooks/create-webhook-calls.ts'
import { hasWebhooks } from './admission/webhooks/webhooks.ts'
import { callWebhook } from './admission/webhooks/call-webhook.ts'
import { startQuotaController } from './admission/quotas/quota-controller.ts'
import { startDefinitionController } from './crd/definitions/definition-controller.ts'
import { createExpressionCache } from './schema/cel/expression-cache.ts'
import { createJsonCache } from './schema/json/json-cache.ts'
import { createKindRegistry } from './resources/kinds/kind-registry.ts'
import { StatusError } from './schema/status/status-error.ts'
import { internalError } from './schema/status/api-errors.ts'
import { errorResponse } from './request/content/responses.ts'
import { seedCluster } from './seed-cluster.ts'
import { handleWithWebhooks } from './request/handle-with-webhooks.ts'
import { routeRequest, type RequestProgress } from './request/route-request.ts'
import type { ServerContext } from './resources/context/server-context.ts'
import { createUid } from './store/generated-metadata.ts'
import { createStore, type Store } from './store/store.ts'
import { createObjectWriter } from './request/create-object-writer.ts'

/**
 * An in-process API server. It runs only because of requests and writes: its own controllers run in microtasks after a
 * write, and only watches and webhook calls set timers.
 */
export interface ApiServer {
  /** Handles one request in this process. */
  readonly handle: ApiHandler
  /** The stored objects, for controllers and tests. `compact()` makes old watches expire. */
  readonly store: Store
  /** The state and dependencies that request handlers share. Controllers write with it too. */
  readonly context: ServerContext
}

/** Options of an API server. */
export interface ApiServerOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log?: Logger
  /** Existing data, such as a fork of another server's store. Default: a new store with the objects of a new cluster. */
  readonly store?: Store
  /** Whether RBAC authorizes requests; otherwise every authenticated user may do everything. Default: false. */
  readonly rbac?: boolean
  /** Receives an audit event for each request. */
  readonly audit?: AuditOptions
  /** Calls admission webhooks. Default: over HTTPS. */
  readonly webhooks?: CallWebhook
}

/**
 * Creates an API server. With a new store, it adds the initial objects of a cluster and runs the API server's own
 * controllers: definitions, aggregated roles and quotas. With an existing `store`, it writes nothing by itself,
 * because the creator of the store runs those controllers.
 */
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
  const isNewStore = store === undefined
  startDefinitionController(context, createObjectWriter(context, 'kube-apiserver'), isNewStore)
  if (isNewStore) {
    startRoleAggregationController(context, createObjectWriter(context, 'clusterrole-aggregation-controller'))
    startQuotaController(context, createObjectWriter(context, 'kube-controller-manager'))
    seedCluster(context)
    // Clients must not see the seeding as changes.
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
      return auditResponse(
        audit,
        clock,
        { id: createUid(random), http, receivedMs, caller: undefined, ...progress },
        response,
      )
    },
  }
}

async function handleRequest(
  context: ServerContext,
  http: ApiRequest,
  progress: RequestProgress,
  callWebhook: CallWebhook,
): Promise<ApiResponse> {
  try {
    if (!hasWebhooks(context)) return await routeRequest(context, http, progress)
    return await handleWithWebhooks(context, http, progress, callWebhook)
  } catch (error) {
    if (error instanceof StatusError) return errorResponse(error)
    context.log.error({ err: error, method: http.method, path: http.path }, 'Request failed')
    return errorResponse(internalError(errorText(error)))
  }
}
