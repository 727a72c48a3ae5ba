import type { ApiRequest, ApiResponse, Clock, KubernetesObject, Logger, Random } from '@berth/types'
import { ApiError, type CallSubject } from '../../errors/api-error.ts'
import { withQuery } from '../../api-conventions/resource-ref.ts'
import { readBody, retryAfterMs, statusOf } from '../../calls/response-body.ts'
import {
  ACCEPT,
  disableProtobuf,
  isEncodingRefused,
  isProtobuf,
  type EncodingSupport,
} from '../../encoding/wire-encoding.ts'
import { decodeObject, unreadable, type DecodeResult } from './decode-object.ts'
import { openGuardedStream, type GuardedStream, type IdleTimeouts } from './guarded-stream.ts'
import { jsonListReader, jsonWatchReader } from './json-readers.ts'
import { protobufListReader } from './protobuf-list-reader.ts'
import type { ProtobufObjects } from './protobuf-objects.ts'
import { protobufWatchReader } from './protobuf-watch-reader.ts'
import { UndecodableObject, type ListReader, type WatchReader } from './stream-reader.ts'
import type { ObjectStore } from '../store/object-store.ts'

const MAX_ERROR_BYTES = 1024 * 1024

/** Counters of what was read. */
export interface ReadCounts {
  lists: number
  watchLists: number
  watches: number
  bookmarks: number
  undecodable: number
}

/** The state and the dependencies that the lists and watches of one resource type share. */
export interface ReadSession<T extends KubernetesObject> {
  /** Collection path without query. */
  readonly path: string
  /** The server omits these fields in the items of a list, but sends them with every event of a watch. */
  readonly type: { readonly kind: string; readonly apiVersion: string }
  readonly selectors: Readonly<Record<string, string | undefined>>
  readonly subject: Omit<CallSubject, 'verb'>
  readonly project: (object: T) => T
  /** Decodes objects in protobuf; undefined if they are always read in JSON. */
  readonly protobuf: ProtobufObjects | undefined
  readonly encoding: EncodingSupport
  readonly store: ObjectStore<T>
  readonly counts: ReadCounts
  readonly send: (request: ApiRequest) => Promise<ApiResponse>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly signal: AbortSignal
  /** Resource version up to which the store is complete; empty before the first read. */
  lastVersion: string
  /** Monotonic time of the last event, bookmark or complete list; undefined before the first. */
  lastEventAt: number | undefined
  /**
   * Monotonic time at which the last read of the newest state began. The store is at least as new as the collection was
   * then. Undefined before such a read is complete: a LIST of any state that the server has is not one.
   */
  readFromMs: number | undefined
  /** Error of the last attempt; undefined once the server has opened a list or a watch again. */
  failure: Error | undefined
  /**
   * Ends the running watch, because it is behind the collection; undefined while none runs. Does nothing while the
   * initial events of a WatchList arrive.
   */
  giveUpWatch: (() => void) | undefined
}

/**
 * Opens a GET of the collection.
 *
 * @throws ApiError for an error status, TransportError when no answer comes
 */
export async function openCollection<T extends KubernetesObject>(
  session: ReadSession<T>,
  verb: 'list' | 'watch',
  query: Readonly<Record<string, string | undefined>>,
  limits: IdleTimeouts,
): Promise<GuardedStream> {
  const { clock, signal, send } = session
  const path = withQuery(session.path, { ...query, ...(query['continue'] === undefined ? session.selectors : {}) })
  const accepted = session.protobuf === undefined ? 'json' : session.encoding.preferred
  const request: ApiRequest = { method: 'GET', path, headers: { accept: ACCEPT[accepted] }, isBulk: true }
  const opened = await openGuardedStream(request, { send, clock, signal, limits })
  const { status, headers } = opened.response
  if (accepted === 'protobuf' && isEncodingRefused(status)) {
    opened.close()
    disableProtobuf(session.encoding, status, session.log)
    return openCollection(session, verb, query, limits)
  }
  if (status < 400) {
    session.failure = undefined
    return opened
  }
  try {
    const body = await readBody(opened.chunks, MAX_ERROR_BYTES, `${verb} ${session.path}`)
    throw new ApiError({ ...session.subject, verb }, status, statusOf(body), retryAfterMs(headers))
  } finally {
    opened.close()
  }
}

/** Returns a reader for the body of a watch, by its Content-Type. */
export function watchReaderOf<T extends KubernetesObject>(
  { protobuf }: ReadSession<T>,
  { headers }: ApiResponse,
): WatchReader {
  return protobuf !== undefined && isProtobuf(headers) ? protobufWatchReader(protobuf) : jsonWatchReader()
}

/** Returns a reader for the body of a list, by its Content-Type. */
export function listReaderOf<T extends KubernetesObject>(
  { protobuf, type }: ReadSession<T>,
  { headers }: ApiResponse,
): ListReader {
  return protobuf !== undefined && isProtobuf(headers) ? protobufListReader(protobuf) : jsonListReader(type)
}

/** Decodes an object. An object that cannot be read is counted and logged. */
export function decodeOrCount<T extends KubernetesObject>(session: ReadSession<T>, raw: unknown): DecodeResult<T> {
  const result =
    raw instanceof UndecodableObject
      ? unreadable(raw.partial, raw.cause)
      : decodeObject(raw, session.project, session.store.findStored)
  if (result.kind === 'unreadable') {
    session.counts.undecodable += 1
    const fields = { err: result.cause, resource: session.subject.resource, object: result.key }
    session.log.warn(fields, 'Skipped an object that cannot be read')
  }
  return result
}
