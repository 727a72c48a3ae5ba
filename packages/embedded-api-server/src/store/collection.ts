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
  forgetOld(): void
  /** Forgets the history; watches that are open go on. */
  compact(): void
  /** Takes over what another store wrote, its revision included. */
  replay(change: Change): void
  /** Holds the objects of another collection from now on. */
  adopt(other: Collection): void
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
  readonly freshMs: number
  readonly least: number
  /** The past is cut each `least` changes: so many more can be there. */
  readonly most: number
}

/** What a collection needs of the store that holds it. */
export interface CollectionOptions {
  /** Takes the next revision. */
  nextRevision(): number
  currentRevision(): number
  /** Where the history of the store begins. */
  readonly bornAt: number
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
  const indexed = new Map<string, Set<ChangeListener>>()
  let history: Change[] = []
  /** When each of them happened. */
  let times: number[] = []
  let cutAt = options.history.least * 2
  // The first object may come long after the store: until then there was nothing.
  const { bornAt } = options
  let oldestRevision = bornAt
  let sortedKeys: readonly string[] | undefined

  const cut = (): void => {
    const { freshMs, least, most } = options.history
    const fresh = times.findIndex((time) => time >= options.now() - freshMs)
    const old = fresh < 0 ? history.length : fresh
    const first = Math.max(Math.min(old, history.length - least), history.length - most)
    if (first > 0) {
      oldestRevision = history[first - 1]?.revision ?? oldestRevision
      history = history.slice(first)
      times = times.slice(first)
    }
    cutAt = history.length + least
  }
  const forget = (): void => {
    history = []
    times = []
    cutAt = options.history.least * 2
  }

  const record = (change: Change): void => {
    history.push(change)
    times.push(options.now())
    if (history.length >= cutAt) cut()
    if (change.type !== 'MODIFIED') sortedKeys = undefined
    options.onChange?.(change)
    for (const listener of listeners) listener(change)
    if (options.indexOf === undefined || indexed.size === 0) return
    const now = options.indexOf(change.object)
    const before = change.previous === undefined ? now : options.indexOf(change.previous)
    for (const listener of indexed.get(now) ?? []) listener(change)
    if (before !== now) for (const listener of indexed.get(before) ?? []) listener(change)
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

  const inOrder = (): readonly string[] => (sortedKeys ??= [...objects.keys()].sort(byCodeUnit))

  // What was there then under each key that was written since; undefined: nothing.
  const changedSince = (revision: number): ReadonlyMap<string, ApiObject | undefined> | undefined => {
    const later = changesAfter(revision)
    return later && new Map(later.toReversed().map(({ key, previous }) => [key, previous]))
  }
  const objectsAt = (revision: number): Map<string, ApiObject> | undefined => {
    const before = changedSince(revision)
    if (before === undefined) return undefined
    const past = new Map(objects)
    for (const [key, previous] of before) {
      if (previous === undefined) past.delete(key)
      else past.set(key, previous)
    }
    return past
  }
  const restorable = (revision: number): Map<string, ApiObject> | undefined => objectsAt(Math.max(revision, bornAt))

  return {
    get size() {
      return objects.size
    },
    get oldestRevision() {
      return oldestRevision
    },
    entries: () => objects.entries(),
    get: (key) => objects.get(key),
    list: () => inOrder().flatMap((key) => objects.get(key) ?? []),
    listAt(revision) {
      const before = changedSince(revision)
      if (before === undefined) return undefined
      const gone = [...before].flatMap(([key, object]) => (object === undefined || objects.has(key) ? [] : [key]))
      const keys = gone.length === 0 ? inOrder() : [...inOrder(), ...gone].sort(byCodeUnit)
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
    adopt(other) {
      objects.clear()
      for (const [key, object] of other.entries()) objects.set(key, object)
      sortedKeys = undefined
    },
    canRestore: (revision) => restorable(revision) !== undefined,
    restore(revision) {
      const past = restorable(revision)
      if (past === undefined) throw new RangeError(`the history does not reach back to revision ${revision}`)
      const present = new Map(objects)
      objects.clear()
      for (const [key, object] of past) objects.set(key, object)
      forget()
      oldestRevision = revision
      sortedKeys = undefined
      for (const change of differences(present, past, revision)) options.onChange?.(change)
    },
    forgetOld: cut,
    compact() {
      forget()
      oldestRevision = options.currentRevision()
    },
    subscribe(listener, indexValue) {
      if (indexValue === undefined) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      }
      const group = indexed.get(indexValue) ?? new Set()
      indexed.set(indexValue, group.add(listener))
      return () => {
        group.delete(listener)
        if (group.size === 0) indexed.delete(indexValue)
      }
    },
  }
}

function* differences(
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
