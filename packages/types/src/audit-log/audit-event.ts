import { isRecord } from '../is-record.ts'

/** The part of an `audit.k8s.io/v1` Event that tells what a request wrote. */
export interface AuditEvent {
  /** Milliseconds since the epoch at which the request was received. */
  readonly timeMs: number
  readonly verb: string
  readonly requestURI: string
  readonly userAgent: string
  readonly username: string
  /** Undefined for a request that names no object. */
  readonly objectRef: AuditObjectRef | undefined
  readonly requestObject: unknown
  readonly responseObject: unknown
  readonly annotations: unknown
  /** Whether the request changed the cluster: a write that was neither refused nor a dry run, at its end. */
  readonly isStoredWrite: boolean
}

/** The object of a request. */
export interface AuditObjectRef {
  readonly apiGroup: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

/**
 * Reads an event. A text of another type than the API server writes counts as missing, and a missing text is empty: a log
 * may have been edited.
 *
 * @returns Undefined without the time at which the request was received.
 */
export function readAuditEvent(event: Readonly<Record<string, unknown>>): AuditEvent | undefined {
  const timeMs = Date.parse(textIn(event, 'requestReceivedTimestamp'))
  if (Number.isNaN(timeMs)) return undefined
  const { objectRef, requestObject, responseObject, annotations } = event
  return {
    timeMs,
    verb: textIn(event, 'verb'),
    requestURI: textIn(event, 'requestURI'),
    userAgent: textIn(event, 'userAgent'),
    username: textIn(event['user'], 'username'),
    objectRef: isRecord(objectRef)
      ? {
          apiGroup: textIn(objectRef, 'apiGroup'),
          resource: textIn(objectRef, 'resource'),
          subresource: textIn(objectRef, 'subresource'),
          namespace: textIn(objectRef, 'namespace'),
          name: textIn(objectRef, 'name'),
        }
      : undefined,
    requestObject,
    responseObject,
    annotations,
    isStoredWrite: isStoredWrite(event),
  }
}

/** A request that has no response yet has no status code; logs of the level Metadata and above have one at its end. */
function isStoredWrite(event: Readonly<Record<string, unknown>>): boolean {
  const { responseStatus } = event
  const stage = textIn(event, 'stage')
  const code = isRecord(responseStatus) ? responseStatus['code'] : undefined
  return (
    WRITES.has(textIn(event, 'verb')) &&
    (stage === '' || stage === 'ResponseComplete') &&
    !(typeof code === 'number' && code >= 300) &&
    !/[?&]dryRun=/.test(textIn(event, 'requestURI'))
  )
}

function textIn(object: unknown, key: string): string {
  const value = isRecord(object) ? object[key] : undefined
  return typeof value === 'string' ? value : ''
}
