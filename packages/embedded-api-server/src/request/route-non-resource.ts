import type { ApiRequest, ApiResponse } from '@berth/types'
import type { UserInfo } from '../resources/context/user-info.ts'
import { discover } from './discovery/discover.ts'
import type { ResourceKind } from '../resources/kinds/resource-kind.ts'
import { reviewKinds } from '../resources/kinds/review-kinds.ts'
import type { DescriptionsOf } from './openapi/json-schema-of.ts'
import { openApiDocument, openApiIndex, openApiPathOf } from './openapi/open-api-v3.ts'
import { OPEN_API_V2_PROTOBUF, openApiV2Document, openApiV2Protobuf } from './openapi/open-api-v2.ts'
import { methodNotAllowed, notAcceptable } from '../schema/status/api-errors.ts'
import { answerAccessReview } from './answer-access-review.ts'
import { bytesResponse, jsonResponse, textResponse } from './content/responses.ts'
import type { ServerContext } from '../resources/context/server-context.ts'

/** The version that the server reports. */
const SERVER_VERSION = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  gitVersion: 'v1.36.3',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: 'go1.26',
  compiler: 'gc',
  platform: 'linux/amd64',
}

const OPEN_API_V3_PATH = '/openapi/v3'

/**
 * Answers non-resource requests (discovery, OpenAPI, version, health) and access reviews. Returns undefined when the path is
 * unknown.
 */
export function routeNonResource(
  context: ServerContext,
  user: UserInfo,
  http: ApiRequest,
  url: URL,
): ApiResponse | Promise<ApiResponse> | undefined {
  const { pathname } = url
  const review = answerAccessReview(context, user, http, pathname)
  if (review !== undefined) return review
  const response = routeGet(context, http, pathname)
  if (response !== undefined && http.method !== 'GET') throw methodNotAllowed()
  return response
}

function routeGet(
  context: ServerContext,
  http: ApiRequest,
  pathname: string,
): ApiResponse | Promise<ApiResponse> | undefined {
  const accept = http.headers['accept'] ?? ''
  const allKinds = [...context.kinds.all(), ...reviewKinds]
  if (/^\/(healthz|livez|readyz)(\/|$)/.test(pathname)) return textResponse(200, 'text/plain; charset=utf-8', 'ok')
  if (pathname === '/version') return jsonResponse(200, SERVER_VERSION)
  if (pathname === '/openapi/v2') return openApiV2(allKinds, accept)
  if (pathname === OPEN_API_V3_PATH) return jsonResponse(200, openApiIndex(allKinds))
  if (pathname.startsWith(`${OPEN_API_V3_PATH}/`)) {
    const path = pathname.slice(OPEN_API_V3_PATH.length + 1)
    const kinds = allKinds.filter((kind) => openApiPathOf(kind) === path)
    return kinds.length === 0 ? undefined : openApiV3(kinds)
  }
  return discover(allKinds, pathname, accept)
}

async function openApiV2(kinds: readonly ResourceKind[], accept: string): Promise<ApiResponse> {
  if (accept !== '' && !/application\/json|\*\/\*/.test(accept)) {
    // Clients use both spellings of the media type.
    if (!/openapi\.spec\.v2[.@]v1\.0\+protobuf/.test(accept)) throw notAcceptable(['application/json'])
    return bytesResponse(200, OPEN_API_V2_PROTOBUF, openApiV2Protobuf())
  }
  return jsonResponse(200, openApiV2Document(kinds, await loadDescriptions()))
}

async function openApiV3(kinds: readonly ResourceKind[]): Promise<ApiResponse> {
  return jsonResponse(200, openApiDocument(kinds, await loadDescriptions()))
}

// Descriptions are large and used only here. A bundled app omits them, so its documents have no descriptions.
async function loadDescriptions(): Promise<DescriptionsOf> {
  try {
    return (await import('@berth/kube-schema/descriptions')).descriptionsOf
  } catch (error) {
    // A single executable reports a file that it does not contain as an unknown module of Node.
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ERR_MODULE_NOT_FOUND', 'ERR_UNKNOWN_BUILTIN_MODULE'].includes(code)) return () => undefined
    throw error
  }
}
