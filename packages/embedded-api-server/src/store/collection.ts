import type { ApiObject } from '../schema/json/api-object.ts'
import { withMetadata } from '../schema/json/api-object.ts'
import { byCodeUnit } from '../schema/json/json-object.ts'

/** One write, as watches see it. */
export interface Change {
  readonly revision: number
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly key: string
  /** State after the write; of a deletion the last state, with the revision of the deletion. */
  readonly object: ApiObject
  readonly previous?: ApiObject
}

/** Called synchronously, in revision order, after each write. It must not write. */
export type ChangeListener = (change: Change) => void

/** The objects of one kind by storage key, and the recent history of their changes. */
export interface Collection {
  readonly size: number
  entries(): Iterable<readonly [key: string, object: ApiObject]>
  get(key: string): ApiObject | undefined
  /** Every object, ordered by key. */
  list(): readonly ApiObject[]
  /** The objects as they were at `revision`; undefined when the history does not reach back that far. */
  listAt(revision: number): readonly ApiObject[] | undefined
  /** Stores a new version and returns it, with its resourceVersion. */
  put(key: string, object: ApiObject): ApiObject
  /** Removes the object and returns its last state with the revision of the removal; undefined when there is none. */
  remove(key: string): ApiObject | undefined
  /** The changes after `revision`; undefined when the history does not reach back that far. */
  changesAfter(revision: number): readonly Change[] | undefined
  /** The oldest revision that {@link changesAfter} accepts. */
  readonly oldestRevision: number
  /** Forgets what is neither fresh nor among the least; otherwise that happens while it is written. */
  trimHistory(): void
  /** Forgets the history; watches that are open go on. */
  compact(): void
  /** Takes over what another store wrote, its revision included. */
  replay(change: Change): void
  /** Holds the objects of another collection from now on. */
  copyFrom(other: Collection): void
  /** Whether the history reaches back far enough for {@link restore}. */
  canRestore(revision: number): boolean
  /**
   * Goes back to the objects of `revision`, without a history, as a server does whose data come from a backup. Watches
   * hear nothing of it: they are to be ended before.
   */
  restore(revision: number): void
  /**
   * @param indexValue - Only changes of objects that have, or had just before, this value of the collection's index.
   * @returns Ends the subscription.
   */
  subscribe(listener: ChangeListener, indexValue?: string): () => void
}

/** How much of its past a collection remembers: changes of the last `freshMs`, but `least` in any case and never many more than `most`. */
export interface HistoryBounds {
  readonly retentionMs: number
  readonly minChanges: number
  /** The past is cut each `least` changes: so many more can be there. */
  readonly maxChanges: number
}

/** What a collection needs of the store that holds it. */
export interface CollectionOptions {
  /** Takes the next revision. */
  nextRevision(): number
  currentRevision(): number
  /** Where the history of the store begins. */
  readonly startRevision: number
  /** What to remember of the past. */
  readonly history: HistoryBounds
  /** Milliseconds on a clock that only goes forward. */
  now(): number
  /** Called before the subscribers, with every change. */
  onChange?(change: Change): void
  /** The value that subscriptions can be narrowed to. */
  indexOf?(object: ApiObject): string
}

/** An empty collection. */
export function createCollection(options: CollectionOptions): Collection {
  const objects = new Map<string, ApiObject>()
  const listeners = new Set<ChangeListener>()
  const listenersByIndexValue = new Map<string, Set<ChangeListener>>()
  let history: Change[] = []
  /** When each of them happened. */
  let changeTimes: number[] = []
  let trimAt = options.history.minChanges * 2
  // The first object may come long after the store: until then there was nothing.
  const { startRevision: bornAt } = options
  let oldestRevision = bornAt
  let sortedKeys: readonly string[] | undefined

  const trimHistory = (): void => {
    const { retentionMs: freshMs, minChanges: least, maxChanges: most } = options.history
    const fresh = changeTimes.findIndex((time) => time >= options.now() - freshMs)
    const old = fresh < 0 ? history.length : fresh
    const first = Math.max(Math.min(old, history.length - least), history.length - most)
    if (first > 0) {
      oldestRevision = history[first - 1]?.revision ?? oldestRevision
      history = history.slice(first)
      changeTimes = changeTimes.slice(first)
    }
    trimAt = history.length + least
  }
  const clearHistory = (): void => {
    history = []
    changeTimes = []
    trimAt = options.history.minChanges * 2
  }

  const record = (change: Change): void => {
    history.push(change)
    changeTimes.push(options.now())
    if (history.length >= trimAt) trimHistory()
    if (change.type !== 'MODIFIED') sortedKeys = undefined
    options.onChange?.(change)
    for (const listener of listeners) listener(change)
    if (options.indexOf === undefined || listenersByIndexValue.size === 0) return
    const now = options.indexOf(change.object)
    const valueBefore = change.previous === undefined ? now : options.indexOf(change.previous)
    for (const listener of listenersByIndexValue.get(now) ?? []) listener(change)
    if (valueBefore !== now) for (const listener of listenersByIndexValue.get(valueBefore) ?? []) listener(change)
  }

  const changesAfter = (revision: number): readonly Change[] | undefined => {
    if (revision < oldestRevision) return undefined
    let low = 0
    let high = history.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((history[middle]?.revision ?? 0) > revision) high = middle
      else low = middle + 1
    }
    return history.slice(low)
  }

  const orderedKeys = (): readonly string[] => (sortedKeys ??= [...objects.keys()].sort(byCodeUnit))

  // What was there then under each key that was written since; undefined: nothing.
  const previousByKey = (revision: number): ReadonlyMap<string, ApiObject | undefined> | undefined => {
    const later = changesAfter(revision)
    return later && new Map(later.toReversed().map(({ key, previous }) => [key, previous]))
  }
  const objectsAt = (revision: number): Map<string, ApiObject> | undefined => {
    const before = previousByKey(revision)
    if (before === undefined) return undefined
    const past = new Map(objects)
    for (const [key, previous] of before) {
      if (previous === undefined) past.delete(key)
      else past.set(key, previous)
    }
    return past
  }
  const objectsToRestore = (revision: number): Map<string, ApiObject> | undefined =>
    objectsAt(Math.max(revision, bornAt))

  return {
    get size() {
      return objects.size
    },
    get oldestRevision() {
      return oldestRevision
    },
    entries: () => objects.entries(),
    get: (key) => objects.get(key),
    list: () => orderedKeys().flatMap((key) => objects.get(key) ?? []),
    listAt(revision) {
      const before = previousByKey(revision)
      if (before === undefined) return undefined
      const removedKeys = [...before].flatMap(([key, object]) =>
        object === undefined || objects.has(key) ? [] : [key],
      )
      const keys = removedKeys.length === 0 ? orderedKeys() : [...orderedKeys(), ...removedKeys].sort(byCodeUnit)
      return keys.flatMap((key) => (before.has(key) ? before.get(key) : objects.get(key)) ?? [])
    },
    put(key, object) {
      const previous = objects.get(key)
      const revision = options.nextRevision()
      const stored = withMetadata(object, { resourceVersion: String(revision) })
      objects.set(key, stored)
      if (previous === undefined) record({ revision, type: 'ADDED', key, object: stored })
      else record({ revision, type: 'MODIFIED', key, object: stored, previous })
      return stored
    },
    remove(key) {
      const previous = objects.get(key)
      if (previous === undefined) return undefined
      const revision = options.nextRevision()
      const last = withMetadata(previous, { resourceVersion: String(revision) })
      objects.delete(key)
      record({ revision, type: 'DELETED', key, object: last, previous })
      return last
    },
    changesAfter,
    replay(change) {
      if (change.type === 'DELETED') objects.delete(change.key)
      else objects.set(change.key, change.object)
      record(change)
    },
    copyFrom(other) {
      objects.clear()
      for (const [key, object] of other.entries()) objects.set(key, object)
      sortedKeys = undefined
    },
    canRestore: (revision) => objectsToRestore(revision) !== undefined,
    restore(revision) {
      const past = objectsToRestore(revision)
      if (past === undefined) throw new RangeError(`the history does not reach back to revision ${revision}`)
      const present = new Map(objects)
      objects.clear()
      for (const [key, object] of past) objects.set(key, object)
      clearHistory()
      oldestRevision = revision
      sortedKeys = undefined
      for (const change of diffObjects(present, past, revision)) options.onChange?.(change)
    },
    trimHistory: trimHistory,
    compact() {
      clearHistory()
      oldestRevision = options.currentRevision()
    },
    subscribe(listener, indexValue) {
      if (indexValue === undefined) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      }
      const group = listenersByIndexValue.get(indexValue) ?? new Set()
      listenersByIndexValue.set(indexValue, group.add(listener))
      return () => {
        group.delete(listener)
        if (group.size === 0) listenersByIndexValue.delete(indexValue)
      }
    },
  }
}

function* diffObjects(
  from: ReadonlyMap<string, ApiObject>,
  to: ReadonlyMap<string, ApiObject>,
  revision: number,
): Generator<Change> {
  for (const [key, previous] of from) {
    const object = to.get(key)
    if (object === previous) continue
    if (object === undefined) yield { revision, type: 'DELETED', key, object: previous, previous }
    else yield { revision, type: 'MODIFIED', key, object, previous }
  }
  for (const [key, object] of to) if (!from.has(key)) yield { revision, type: 'ADDED', key, object }
}
