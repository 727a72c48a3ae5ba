import type { ApiObject } from '../schema/json/api-object.ts'

/** One write, as watches see it. */
export interface Change {
  readonly revision: number
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly key: string
  /** The state after the write. For a deletion: the last state, with the revision of the deletion. */
  readonly object: ApiObject
  readonly previous?: ApiObject
}

/**
 * Limits of a history: it keeps the changes of the last `retentionMs`, but at least the newest `minChanges` and at most
 * the newest `maxChanges`.
 */
export interface HistoryBounds {
  readonly retentionMs: number
  /** The history is trimmed every `minChanges` changes, so it can exceed `maxChanges` by that many. */
  readonly minChanges: number
  readonly maxChanges: number
}

/** The recent changes of a collection, oldest first. */
export interface ChangeHistory {
  /** The oldest revision that {@link after} accepts. */
  readonly oldestRevision: number
  /** Adds the newest change, and trims the history from time to time. */
  append(change: Change): void
  /** Returns the changes after `revision`; undefined when the history does not reach back that far. */
  after(revision: number): readonly Change[] | undefined
  /** Drops the changes that exceed the bounds. */
  trim(): void
  /** Drops every change. The history now begins at `revision`. */
  restartAt(revision: number): void
}

/**
 * Creates an empty history that begins at `startRevision`.
 *
 * @param now - Returns milliseconds of a monotonic clock.
 */
export function createChangeHistory(bounds: HistoryBounds, startRevision: number, now: () => number): ChangeHistory {
  const { retentionMs, minChanges, maxChanges } = bounds
  let changes: Change[] = []
  /** The time of each change, in milliseconds of the monotonic clock. */
  let times: number[] = []
  let trimAtLength = minChanges * 2
  let oldestRevision = startRevision

  const trim = (): void => {
    const firstRecent = times.findIndex((time) => time >= now() - retentionMs)
    const expired = firstRecent < 0 ? changes.length : firstRecent
    const dropped = Math.max(Math.min(expired, changes.length - minChanges), changes.length - maxChanges)
    if (dropped > 0) {
      oldestRevision = changes[dropped - 1]?.revision ?? oldestRevision
      changes = changes.slice(dropped)
      times = times.slice(dropped)
    }
    trimAtLength = changes.length + minChanges
  }

  return {
    get oldestRevision() {
      return oldestRevision
    },
    append(change) {
      changes.push(change)
      times.push(now())
      if (changes.length >= trimAtLength) trim()
    },
    after: (revision) => (revision < oldestRevision ? undefined : changes.slice(firstAfter(changes, revision))),
    trim,
    restartAt(revision) {
      changes = []
      times = []
      trimAtLength = minChanges * 2
      oldestRevision = revision
    },
  }
}

/** Returns the index of the first change after `revision` (binary search). */
function firstAfter(changes: readonly Change[], revision: number): number {
  let low = 0
  let high = changes.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((changes[middle]?.revision ?? 0) > revision) high = middle
    else low = middle + 1
  }
  return low
}
