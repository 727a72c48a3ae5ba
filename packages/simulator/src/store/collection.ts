import type { ApiObject } from '../json/api-object.ts'
import { withMetadata } from '../json/api-object.ts'
import { byCodeUnit } from '../json/json-object.ts'

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
  /** Forgets the history; watches that are open go on. */
  compact(): void
  /**
   * @param indexValue - Only changes of objects that have, or had just before, this value of the collection's index.
   * @returns Ends the subscription.
   */
  subscribe(listener: ChangeListener, indexValue?: string): () => void
}

/** What a collection needs of the store that holds it. */
export interface CollectionOptions {
  /** Takes the next revision. */
  nextRevision(): number
  currentRevision(): number
  /** Number of changes to remember. */
  readonly historySize: number
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
  let oldestRevision = options.currentRevision()
  let sortedKeys: readonly string[] | undefined

  const record = (change: Change): void => {
    history.push(change)
    if (history.length >= options.historySize * 2) {
      history = history.slice(-options.historySize)
      oldestRevision = (history[0]?.revision ?? change.revision) - 1
    }
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

  return {
    get size() {
      return objects.size
    },
    get oldestRevision() {
      return oldestRevision
    },
    get: (key) => objects.get(key),
    list: () => inOrder().flatMap((key) => objects.get(key) ?? []),
    listAt(revision) {
      const later = changesAfter(revision)
      if (later === undefined) return undefined
      const past = new Map(objects)
      for (const { key, previous } of later.toReversed()) {
        if (previous === undefined) past.delete(key)
        else past.set(key, previous)
      }
      return [...past].sort(([a], [b]) => byCodeUnit(a, b)).map(([, object]) => object)
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
    compact() {
      history = []
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
