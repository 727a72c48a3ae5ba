import type { ApiRequest, Status } from '@berth/types'
import type { Caller } from '../../auth/authenticate.ts'
import type { RequestAttributes } from '../../auth/request-attributes.ts'

/** How much of a request is recorded (upstream's levels; configure no audit for `None`). */
export type AuditLevel = 'Metadata' | 'Request' | 'RequestResponse'

/** The record of one request and its response: an Event of `audit.k8s.io/v1`. */
export interface AuditEvent {
  readonly kind: 'Event'
  readonly apiVersion: 'audit.k8s.io/v1'
  readonly level: AuditLevel
  readonly auditID: string
  /** A watch has two events: one when it starts, one when it ends. */
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

/** The request part of an audit event. */
export interface AuditedRequest {
  readonly id: string
  readonly http: ApiRequest
  readonly receivedMs: number
  /** Undefined if the request was not authenticated. */
  readonly caller: Caller | undefined
  readonly attributes: RequestAttributes
  readonly isAllowed: boolean
}

/** The response part of an audit event. */
export interface AuditedResponse {
  readonly code: number
  /** Set if the request failed. */
  readonly status?: Status
  readonly stage: AuditEvent['stage']
  readonly nowMs: number
  /** The response body, at level RequestResponse. */
  readonly text?: string
}

/** Creates the audit event of a request and its response. */
export function createAuditEvent(level: AuditLevel, request: AuditedRequest, response: AuditedResponse): AuditEvent {
  const { http, caller, attributes } = request
  const { code, status, stage, text } = response
  const user = caller?.impersonator ?? caller?.user ?? {}
  const requestObject =
    level === 'Metadata' ? undefined : parseJsonText(http.body === undefined ? '' : new TextDecoder().decode(http.body))
  const responseObject = text === undefined ? undefined : parseJsonText(text)
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
    ...(requestObject === undefined ? {} : { requestObject }),
    ...(responseObject === undefined ? {} : { responseObject }),
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

// Bodies in other formats (protobuf, YAML) are left out.
function parseJsonText(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
