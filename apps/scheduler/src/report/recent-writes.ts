import { ApiError, TransportError } from '@berth/k8s-client'
import type { ObjectMeta } from '@berth/types'

/** An object of the API server, or the part of it that matters. */
interface Versioned {
  readonly metadata: Pick<ObjectMeta, 'resourceVersion' | 'generation'>
}

/**
 * Statuses that were written a short time ago. The next attempt often comes before the watch delivers the write: a status that is
 * compared with the older one would then count as written, and the object would keep the one in between.
 */
export interface RecentWrites<T extends Versioned> {
  /** Returns the newest of an object as the watch delivered it and what was written; undefined when it is not known. */
  newest(key: string, seen: T): T | undefined
  /** Forgets the write if the watch has delivered its version or a newer one. */
  delivered(key: string, seen: T): void
  /** Forgets an object that is gone. */
  forget(key: string): void
  /** Notes an object as the API server returned it. */
  wrote(key: string, written: T): void
  /** Notes that a write has failed. If it may have arrived, the object is not known until the API server returns it. */
  failed(key: string, error: unknown): void
}

/** Bounds the entries that no delivery removes, such as those of pod groups. The watch is seldom behind for this many writes. */
const MAX_ENTRIES = 10_000

/** Creates an empty memory of writes. */
export function createRecentWrites<T extends Versioned>(): RecentWrites<T> {
  /** Undefined: not known. */
  const entries = new Map<string, T | undefined>()
  const note = (key: string, written: T | undefined): void => {
    entries.delete(key)
    entries.set(key, written)
    const [oldest] = entries.keys()
    if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest)
  }
  const delivered = (key: string, seen: T): void => {
    const written = entries.get(key)
    if (written !== undefined && !(versionOf(seen) < versionOf(written))) entries.delete(key)
  }
  return {
    delivered,
    forget: (key) => void entries.delete(key),
    newest(key, seen) {
      delivered(key, seen)
      return entries.has(key) ? entries.get(key) : seen
    },
    wrote(key, written) {
      const known = entries.get(key)
      // Two writes may be in flight: a nomination does not wait for other reports.
      if (known === undefined || versionOf(known) < versionOf(written)) note(key, written)
    },
    failed(key, error) {
      if (mayHaveArrived(error)) note(key, undefined)
    },
  }
}

function mayHaveArrived(error: unknown): boolean {
  if (error instanceof TransportError) return error.delivered !== 'no'
  // A server that fails may have written before.
  return !(error instanceof ApiError) || error.status >= 500
}

/** resourceVersions are numbers that grow (KEP-5504). */
function versionOf({ metadata }: Versioned): number {
  return Number(metadata.resourceVersion ?? 0)
}
