import type { ApiRequest, ApiResponse } from '@berth/types'
import { authenticate, type Caller } from '../auth/authenticate.ts'
import { attributesOf, type RequestAttributes } from '../auth/request-attributes.ts'
import { requireAllowed } from '../auth/require-allowed.ts'
import { parseResourcePath, withoutWatchPrefix, type ResourcePath } from '../resources/context/resource-request.ts'
import type { ServerContext } from '../resources/context/server-context.ts'
import type { WebhookCalls } from '../resources/context/webhook-calls.ts'
import { badRequest, PAGE_NOT_FOUND, resourceNotFound } from '../schema/status/api-errors.ts'
import { textResponse } from './content/responses.ts'
import { routeNonResource } from './route-non-resource.ts'
import { routeResource } from './route-resource.ts'
import { createBinding } from './subresources/binding.ts'

/** The facts about a request for its audit event. Filled in while the request is processed. */
export interface RequestProgress {
  attributes: RequestAttributes
  caller?: Caller
  isAllowed: boolean
}

/** Authenticates and authorizes a request, and routes it by its path. */
export function routeRequest(
  context: ServerContext,
  http: ApiRequest,
  progress: RequestProgress,
  webhooks?: WebhookCalls,
): ApiResponse | Promise<ApiResponse> {
  // As a relative URL, `//` would have an empty host.
  if (!http.path.startsWith('/'))
    throw badRequest(`the request path ${JSON.stringify(http.path)} does not start with "/"`)
  const url = withoutWatchPrefix(new URL(`http://localhost${http.path}`))
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
    return routeNonResource(context, user, http, url) ?? pathNotFound(context, url.pathname, path)
  }
  if (!kind.namespaced && path.namespace !== '') {
    if (kind.custom === undefined) throw resourceNotFound()
    return pageNotFound()
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

/** Answers a path without a handler with 404: a Status within built-in groups, plain text elsewhere. */
function pathNotFound({ kinds }: ServerContext, pathname: string, path: ResourcePath | undefined): ApiResponse {
  const builtInKinds = kinds.all().filter(({ custom }) => custom === undefined)
  const isServedVersion =
    path !== undefined && builtInKinds.some(({ group, version }) => group === path.group && version === path.version)
  // `/apis/GROUP/VERSION` with a served group.
  const [, root, group, version] = pathname.split('/')
  const isServedGroup = root === 'apis' && version !== undefined && builtInKinds.some((kind) => kind.group === group)
  if (isServedVersion || isServedGroup) throw resourceNotFound()
  return pageNotFound()
}

function pageNotFound(): ApiResponse {
  return textResponse(404, 'text/plain; charset=utf-8', PAGE_NOT_FOUND)
}
