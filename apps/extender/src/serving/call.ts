import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'

/** A request of a caller, over HTTP/1.1 or as a stream of HTTP/2. */
export interface Call {
  readonly method: string
  /** The path with the query. */
  readonly url: string
  /** Content-Type; empty without one. */
  readonly contentType: string
  /** Content-Length, bytes; 0 without one. */
  readonly announcedBytes: number
  readonly body: Readable
  readonly connection: Connection
  /** Whether the caller reads the response only after it has sent the body, as over HTTP/1.1. */
  readonly readsResponseLast: boolean
  /** Sends the response, with its Content-Length. Sends nothing if the caller is gone. */
  respond(status: number, json: Buffer): void
  /** Ends the connection after the response. Call it before the response. */
  closeConnection(): void
  /** Calls the listener once the call is over: the response is sent, or the caller is gone. */
  onClose(listener: () => void): void
}

/** The connection of a call. */
export interface Connection {
  /** The same object for every call of the connection. */
  readonly key: object
  readonly socket: Socket
}

/** The type of every response. */
export const CONTENT_TYPE = 'application/json; charset=utf-8'

const JSON_TYPE = /^application\/json\s*(?:;|$)/iu

/** Returns whether a Content-Type is JSON, with any parameters. */
export function isJson(contentType: string): boolean {
  return contentType === 'application/json' || JSON_TYPE.test(contentType)
}
