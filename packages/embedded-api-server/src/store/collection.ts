import type { ApiObject } from '../schema/json/api-object.ts'
import { withMetadata } from '../schema/json/api-object.ts'
import { byCodeUnit } from '../schema/json/json-object.ts'
import { createChangeHistory, type Change, type HistoryBounds } from './change-history.ts'

/** Called synchronously, in revision order, after each write. It must not write. */
export type ChangeListener = (change: Change) => void

/** The objects of one kind by storage key, and the recent history of their changes. */
export interface Collection {
  readonly size: number
  entries(): Iterable<readonly [key: string, object: ApiObject]>
  get(key: string): ApiObject | undefined
  /** Returns every object, ordered by key. */
  list(): readonly ApiObject[]
  /** Returns the objects as they were at `revision`; undefined when the history does not reach back that far. */
  listAt(revision: number): readonly ApiObject[] | undefined
  /** Stores a new version and returns it, with its resourceVersion. */
  put(key: string, object: ApiObject): ApiObject
  /** Removes the object and returns its last state with the revision of the removal; undefined when there is none. */
  remove(key: string): ApiObject | undefined
  /** Returns the changes after `revision`; undefined when the history does not reach back that far. */
  changesAfter(revision: number): readonly Change[] | undefined
  /** The oldest revision that {@link changesAfter} accepts. */
  readonly oldestRevision: number
  /** Drops the changes that exceed the history bounds. Writes to the collection do it too, from time to time. */
  trimHistory(): void
  /** Drops the history. Open watches continue. */
  compact(): void
  /** Applies a change of another store, with its revision. */
  replay(change: Change): void
  /** Replaces the objects with those of another collection. */
  copyFrom(other: Collection): void
  /** Returns whether the history reaches back far enough for {@link restore}. */
  canRestore(revision: number): boolean
  /**
   * Returns to the objects of `revision`, without a history, as a server whose data come from a backup. Subscribers are
   * not notified, so end the watches first.
   */
  restore(revision: number): void
  /**
   * Calls the listener with every later change.
   *
   * @param indexValue - Limits the subscription to changes of objects that have, or had just before, this value of the
   *   collection's index.
   * @returns Ends the subscription.
   */
  subscribe(listener: ChangeListener, indexValue?: string): () => void
}

/** The parts of its store that a collection uses. */
export interface CollectionOptions {
  /** Increments the store's revision and returns it. */
  nextRevision(): number
  currentRevision(): number
  /** The revision at which the history of the store begins. */
  readonly startRevision: number
  readonly history: HistoryBounds
  /** Returns milliseconds of a monotonic clock. */
  now(): number
  /** Called with every change, before the subscribers, and with the differences that a restore makes. */
  onChange?(change: Change): void
  /** Returns the object's value in the index by which subscriptions can be limited. Default: no index. */
  indexOf?(object: ApiObject): string
}

/** Creates an empty collection. */
export function createCollection(options: CollectionOptions): Collection {
  // The first object may come long after the store began. Its history covers the time before: the collection was empty.
  const { startRevision } = options
  const history = createChangeHistory(options.history, startRevision, () => options.now())
  const objects = new Map<string, ApiObject>()
  const listeners = new Set<ChangeListener>()
  const listenersByIndexValue = new Map<string, Set<ChangeListener>>()
  let sortedKeys: readonly string[] | undefined

  const orderedKeys = (): readonly string[] => (sortedKeys ??= [...objects.keys()].sort(byCodeUnit))

  const replaceObjects = (next: Iterable<readonly [string, ApiObject]>): void => {
    objects.clear()
    for (const [key, object] of next) objects.set(key, object)
    sortedKeys = undefined
  }

  const record = (change: Change): void => {
    history.append(change)
    if (change.type !== 'MODIFIED') sortedKeys = undefined
    options.onChange?.(change)
    for (const listener of listeners) listener(change)
    if (options.indexOf === undefined || listenersByIndexValue.size === 0) return
    const value = options.indexOf(change.object)
    const valueBefore = change.previous === undefined ? value : options.indexOf(change.previous)
    for (const listener of listenersByIndexValue.get(value) ?? []) listener(change)
    if (valueBefore !== value) for (const listener of listenersByIndexValue.get(valueBefore) ?? []) listener(change)
  }

  /**
   * Returns, for each key that was written after `revision`, its object at `revision` (undefined if it had none).
   * Returns undefined if the history does not reach back that far.
   */
  const previousByKey = (revision: number): ReadonlyMap<string, ApiObject | undefined> | undefined => {
    const later = history.after(revision)
    return later && new Map(later.toReversed().map(({ key, previous }) => [key, previous]))
  }

  const objectsToRestore = (revision: number): Map<string, ApiObject> | undefined => {
    const before = previousByKey(Math.max(revision, startRevision))
    if (before === undefined) return undefined
    const past = new Map(objects)
    for (const [key, previous] of before) {
      if (previous === undefined) past.delete(key)
      else past.set(key, previous)
    }
    return past
  }

  return {
    get size() {
      return objects.size
    },
    get oldestRevision() {
      return history.oldestRevision
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
    changesAfter: (revision) => history.after(revision),
    replay(change) {
      if (change.type === 'DELETED') objects.delete(change.key)
      else objects.set(change.key, change.object)
      record(change)
    },
    copyFrom: (other) => replaceObjects(other.entries()),
    canRestore: (revision) => objectsToRestore(revision) !== undefined,
    restore(revision) {
      const past = objectsToRestore(revision)
      if (past === undefined) throw new RangeError(`the history does not reach back to revision ${revision}`)
      const present = new Map(objects)
      replaceObjects(past)
      history.restartAt(revision)
      for (const change of diffObjects(present, past, revision)) options.onChange?.(change)
    },
    trimHistory: () => history.trim(),
    compact: () => history.restartAt(options.currentRevision()),
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
