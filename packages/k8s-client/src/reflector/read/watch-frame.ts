import { isRecord } from '@berth/types'
import { ApiError, type CallSubject } from '../../errors/api-error.ts'

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end'

/** One frame of a watch stream. */
export interface WatchFrame {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: unknown
}

/** Parses a line of a watch stream. Returns undefined when it is not JSON or has an unknown type. */
export function parseFrame(line: string): WatchFrame | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!isRecord(parsed)) return undefined
  const { type, object } = parsed
  return isFrameType(type) ? { type, object } : undefined
}

/** Returns whether a value is the type of a frame. */
export function isFrameType(type: unknown): type is WatchFrame['type'] {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' || type === 'BOOKMARK' || type === 'ERROR'
}

/** Reads a BOOKMARK frame. `isInitialEnd`: it marks the end of the initial events of a WatchList. */
export function readBookmark(object: unknown): { readonly version: string; readonly isInitialEnd: boolean } {
  const metadata = isRecord(object) && isRecord(object['metadata']) ? object['metadata'] : {}
  const annotations = isRecord(metadata['annotations']) ? metadata['annotations'] : {}
  const version = metadata['resourceVersion']
  return {
    version: typeof version === 'string' ? version : '',
    isInitialEnd: annotations[INITIAL_EVENTS_END] === 'true',
  }
}

/** Creates the error that an ERROR frame carries. */
export function errorOfFrame(subject: CallSubject, object: unknown): ApiError {
  const status = typeof object === 'object' && object !== null ? object : {}
  const code: unknown = 'code' in status ? status.code : undefined
  return new ApiError(subject, typeof code === 'number' ? code : 500, status)
}
