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
  /** Returns the newer one of an object as the watch delivered it and what was written; undefined when it is not known. */
  newest(key: string, seen: T): T | undefined
  /** Notes what the API server returned for a write. */
  wrote(key: string, written: T): void
  /** Notes that a write may have arrived, of an object that had this version before. */
  mayHaveWritten(key: string, seen: T): void
}

interface Entry<T> {
  readonly version: number
  /** Undefined: the status is not known as long as the watch delivers no newer version. */
  readonly written: T | undefined
}

/** Without a limit, an object that is not reported again would be kept. The watch is seldom behind for this many writes. */
const MAX_ENTRIES = 10_000

/** Creates an empty memory of writes. */
export function createRecentWrites<T extends Versioned>(): RecentWrites<T> {
  const entries = new Map<string, Entry<T>>()
  const note = (key: string, entry: Entry<T>): void => {
    entries.delete(key)
    entries.set(key, entry)
    const [oldest] = entries.keys()
    if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest)
  }
  return {
    newest(key, seen) {
      const entry = entries.get(key)
      if (entry === undefined) return seen
      const { version, written } = entry
      if (written === undefined ? versionOf(seen) <= version : versionOf(seen) < version) return written
      entries.delete(key)
      return seen
    },
    wrote: (key, written) => note(key, { version: versionOf(written), written }),
    mayHaveWritten: (key, seen) => note(key, { version: versionOf(seen), written: undefined }),
  }
}

/** resourceVersions are numbers that grow (KEP-5504). */
function versionOf({ metadata }: Versioned): number {
  return Number(metadata.resourceVersion ?? 0)
}
