import type { ApiRequest } from '@berth/types'
import type { UserInfo } from './user-info.ts'
import type { WebhookCalls } from './webhook-calls.ts'
import type { ResourceKind } from '../kinds/resource-kind.ts'
import { badRequest } from '../../schema/status/api-errors.ts'

/** A request that names a resource, taken apart. */
export interface ResourceRequest {
  readonly kind: ResourceKind
  /** `''`: all namespaces, or the kind has none. */
  readonly namespace: string
  /** `''`: the collection. */
  readonly name: string
  /** `''`: the main resource. */
  readonly subresource: string
  readonly query: URLSearchParams
  readonly http: ApiRequest
  /** Who asks; absent where the control plane writes on its own. */
  readonly user?: UserInfo
  /** Webhooks that the request may ask; absent where it asks none. */
  readonly webhooks?: WebhookCalls
  /** Adds a warning to the answer. */
  readonly warn?: (text: string) => void
}

/** Where a path leads. */
export interface ResourcePath {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly namespace: string
  readonly name: string
  readonly subresource: string
}

/** Reads `/api/v1/…` and `/apis/GROUP/VERSION/…`; undefined for every other path. */
export function parseResourcePath(pathname: string): ResourcePath | undefined {
  const parts = pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decodePart)
  const rest = parts[0] === 'api' ? parts.slice(2) : parts.slice(3)
  const group = parts[0] === 'api' ? '' : (parts[1] ?? '')
  const version = (parts[0] === 'api' ? parts[1] : parts[2]) ?? ''
  if ((parts[0] !== 'api' && parts[0] !== 'apis') || rest.length === 0) return undefined
  const [first = '', second = '', third = ''] = rest
  const isInNamespace = first === 'namespaces' && rest.length >= 3 && third !== 'status' && third !== 'finalize'
  const [plural = '', name = '', ...sub] = isInNamespace ? rest.slice(2) : rest
  return { group, version, plural, namespace: isInNamespace ? second : '', name, subresource: sub.join('/') }
}

/** The URL that says with parameters what `/api/v1/watch/…` says with its path, deprecated since v1.11. */
export function withoutWatchPath(url: URL): URL {
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

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw badRequest(`invalid URL escape in ${JSON.stringify(part)}`)
  }
}

/** Who is recorded as the owner of the fields that a request writes. */
export function fieldManagerOf(request: ResourceRequest): string {
  const asked = request.query.get('fieldManager')
  if (asked !== null && asked !== '') return asked
  const agent = request.http.headers['user-agent'] ?? ''
  return agent.split('/')[0]?.slice(0, 128) || 'unknown'
}

/** Whether the request must change nothing (`dryRun=All`). */
export function isDryRun(request: ResourceRequest): boolean {
  return request.query.getAll('dryRun').includes('All')
}

/** Refuses a name that the URL and the body disagree about. */
export function requireSameName(inUrl: string, inBody: string | undefined): void {
  if (inBody !== undefined && inBody !== '' && inBody !== inUrl) {
    throw badRequest(`the name of the object (${inBody}) does not match the name on the URL (${inUrl})`)
  }
}
