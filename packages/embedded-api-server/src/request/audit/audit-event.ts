import type { ApiRequest, Status } from '@berth/types'
import type { Caller } from '../../auth/authenticate.ts'
import type { RequestAttributes } from '../../auth/request-attributes.ts'

/** How much of a request is written down, as upstream's levels; `None` is having no audit. */
export type AuditLevel = 'Metadata' | 'Request' | 'RequestResponse'

/** What was asked and answered: an Event of `audit.k8s.io/v1`. */
export interface AuditEvent {
  readonly kind: 'Event'
  readonly apiVersion: 'audit.k8s.io/v1'
  readonly level: AuditLevel
  readonly auditID: string
  /** Watches are written down when they begin and when they end. */
  readonly stage: 'ResponseStarted' | 'ResponseComplete'
  readonly requestURI: string
  readonly verb: string
  readonly user: object
  readonly impersonatedUser?: object
  readonly sourceIPs: readonly string[]
  readonly userAgent: string
  readonly objectRef?: object
  readonly responseStatus: object
  readonly requestObject?: unknown
  readonly responseObject?: unknown
  /** RFC 3339 with microseconds. */
  readonly requestReceivedTimestamp: string
  readonly stageTimestamp: string
  readonly annotations: Readonly<Record<string, string>>
}

/** What is known of a request when it is written down. */
export interface AuditedRequest {
  readonly id: string
  readonly http: ApiRequest
  readonly receivedMs: number
  /** Absent where nobody was recognised. */
  readonly caller: Caller | undefined
  readonly attributes: RequestAttributes
  readonly isAllowed: boolean
}

/** What was answered. */
export interface AuditedResponse {
  readonly code: number
  /** Of refusals. */
  readonly status?: Status
  readonly stage: AuditEvent['stage']
  readonly nowMs: number
  /** The text of the answer, at the level that includes it. */
  readonly text?: string
}

/** The event of a request and its answer. */
export function auditEventOf(level: AuditLevel, request: AuditedRequest, response: AuditedResponse): AuditEvent {
  const { http, caller, attributes } = request
  const { code, status, stage, text } = response
  const user = caller?.impersonator ?? caller?.user ?? {}
  const sent =
    level === 'Metadata' ? undefined : jsonOf(http.body === undefined ? '' : new TextDecoder().decode(http.body))
  const answered = text === undefined ? undefined : jsonOf(text)
  const objectRef = objectRefOf(attributes)
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level,
    auditID: request.id,
    stage,
    requestURI: http.path,
    verb: attributes.verb,
    user,
    ...(caller?.impersonator === undefined ? {} : { impersonatedUser: caller.user }),
    sourceIPs: ['127.0.0.1'],
    userAgent: http.headers['user-agent'] ?? '',
    ...(objectRef === undefined ? {} : { objectRef }),
    responseStatus: {
      metadata: {},
      ...(status === undefined
        ? {}
        : { status: status.status, message: status.message, reason: status.reason, details: status.details }),
      code,
    },
    ...(sent === undefined ? {} : { requestObject: sent }),
    ...(answered === undefined ? {} : { responseObject: answered }),
    requestReceivedTimestamp: microTime(request.receivedMs),
    stageTimestamp: microTime(response.nowMs),
    annotations:
      caller === undefined ? {} : { 'authorization.k8s.io/decision': request.isAllowed ? 'allow' : 'forbid' },
  }
}

function objectRefOf({ resource }: RequestAttributes): object | undefined {
  if (resource === undefined) return undefined
  const { group, version, namespace, name, subresource } = resource
  const entries = Object.entries({ namespace, name, apiGroup: group, apiVersion: version, subresource })
  return { resource: resource.resource, ...Object.fromEntries(entries.filter(([, value]) => value !== '')) }
}

function microTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z`
}

// Bodies that are no JSON (protobuf, YAML) are left out.
function jsonOf(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
