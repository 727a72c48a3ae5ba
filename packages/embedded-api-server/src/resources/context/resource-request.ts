import type { ApiRequest } from '@berth/types'
import type { UserInfo } from './user-info.ts'
import type { WebhookCalls } from './webhook-calls.ts'
import type { ResourceKind } from '../kinds/resource-kind.ts'
import { badRequest } from '../../schema/status/api-errors.ts'

/** A parsed request for a resource. */
export interface ResourceRequest {
  readonly kind: ResourceKind
  /** `''` for all namespaces, and for cluster-scoped kinds. */
  readonly namespace: string
  /** `''` for the collection. */
  readonly name: string
  /** `''` for the main resource. */
  readonly subresource: string
  readonly query: URLSearchParams
  readonly http: ApiRequest
  /** The authenticated user. Absent for writes of the control plane. */
  readonly user?: UserInfo
  /** The webhook calls of the request. Absent if webhooks are not called for it. */
  readonly webhooks?: WebhookCalls
  /** Adds a warning to the response. */
  readonly warn?: (text: string) => void
}

/** The parsed URL path of a resource. */
export interface ResourcePath {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly namespace: string
  readonly name: string
  readonly subresource: string
}

/** Parses `/api/v1/…` and `/apis/GROUP/VERSION/…`. Returns undefined for every other path. */
export function parseResourcePath(pathname: string): ResourcePath | undefined {
  const parts = pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decodeSegment)
  const rest = parts[0] === 'api' ? parts.slice(2) : parts.slice(3)
  const group = parts[0] === 'api' ? '' : (parts[1] ?? '')
  const version = (parts[0] === 'api' ? parts[1] : parts[2]) ?? ''
  if ((parts[0] !== 'api' && parts[0] !== 'apis') || rest.length === 0) return undefined
  const [first = '', second = '', third = ''] = rest
  const isInNamespace = first === 'namespaces' && rest.length >= 3 && third !== 'status' && third !== 'finalize'
  const [plural = '', name = '', ...sub] = isInNamespace ? rest.slice(2) : rest
  return { group, version, plural, namespace: isInNamespace ? second : '', name, subresource: sub.join('/') }
}

/** Converts the URL of a watch with a path prefix, `/api/v1/watch/…` (deprecated since v1.11), to one with parameters. */
export function withoutWatchPrefix(url: URL): URL {
  const found = /^(\/api\/[^/]+|\/apis\/[^/]+\/[^/]+)\/watch\/(.+)$/.exec(url.pathname)
  if (found === null) return url
  const plain = new URL(url)
  plain.pathname = `${found[1]}/${found[2]}`
  plain.searchParams.set('watch', 'true')
  const { name = '', subresource = '' } = parseResourcePath(plain.pathname) ?? {}
  if (name === '' || subresource !== '') return plain
  const terms = [plain.searchParams.get('fieldSelector') ?? '', `metadata.name=${name}`].filter((term) => term !== '')
  plain.pathname = plain.pathname.slice(0, plain.pathname.lastIndexOf('/'))
  plain.searchParams.set('fieldSelector', terms.join(','))
  return plain
}

function decodeSegment(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw badRequest(`invalid URL escape in ${JSON.stringify(part)}`)
  }
}

/** Returns the field manager of a request: the name under which the fields that it writes are owned. */
export function fieldManagerOf(request: ResourceRequest): string {
  const asked = request.query.get('fieldManager')
  if (asked !== null && asked !== '') return asked
  const agent = request.http.headers['user-agent'] ?? ''
  return agent.split('/')[0]?.slice(0, 128) || 'unknown'
}

/** Returns whether the request is a dry run (`dryRun=All`). */
export function isDryRun(request: ResourceRequest): boolean {
  return request.query.getAll('dryRun').includes('All')
}

/** Throws a 400 if the body contains another name than the URL. */
export function requireSameName(inUrl: string, inBody: string | undefined): void {
  if (inBody !== undefined && inBody !== '' && inBody !== inUrl) {
    throw badRequest(`the name of the object (${inBody}) does not match the name on the URL (${inUrl})`)
  }
}
