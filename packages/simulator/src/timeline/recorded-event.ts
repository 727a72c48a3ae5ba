import { isObject, type JsonObject } from '@berth/embedded-api-server'

/** The part of an `audit.k8s.io/v1` Event that a replay needs. Texts that are missing are empty. */
export interface RecordedEvent {
  readonly stage: string
  readonly verb: string
  readonly requestURI: string
  readonly requestReceivedTimestamp: string
  readonly userAgent: string
  readonly username: string
  /** Undefined for a request that names no object. */
  readonly objectRef: RecordedObjectRef | undefined
  /** Undefined while the request had no response. */
  readonly responseCode: number | undefined
  readonly requestObject: unknown
}

/** The object of a request. */
export interface RecordedObjectRef {
  readonly apiGroup: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
}

/** Reads an event. A member of another type than the API server writes counts as missing: a log may have been edited. */
export function recordedEvent(event: JsonObject): RecordedEvent {
  const objectRef = event['objectRef']
  const code = objectIn(event, 'responseStatus')['code']
  return {
    stage: textIn(event, 'stage'),
    verb: textIn(event, 'verb'),
    requestURI: textIn(event, 'requestURI'),
    requestReceivedTimestamp: textIn(event, 'requestReceivedTimestamp'),
    userAgent: textIn(event, 'userAgent'),
    username: textIn(objectIn(event, 'user'), 'username'),
    objectRef: isObject(objectRef)
      ? {
          apiGroup: textIn(objectRef, 'apiGroup'),
          resource: textIn(objectRef, 'resource'),
          subresource: textIn(objectRef, 'subresource'),
          name: textIn(objectRef, 'name'),
        }
      : undefined,
    responseCode: typeof code === 'number' ? code : undefined,
    requestObject: event['requestObject'],
  }
}

function textIn(object: JsonObject, key: string): string {
  const value = object[key]
  return typeof value === 'string' ? value : ''
}

function objectIn(object: JsonObject, key: string): JsonObject {
  const value = object[key]
  return isObject(value) ? value : {}
}
