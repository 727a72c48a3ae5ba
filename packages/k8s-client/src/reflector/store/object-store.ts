import type { KubernetesObject, Logger } from '@berth/types'
import { createIndexes, type IndexKeys } from './object-indexes.ts'
import { createTurnBudget } from '../../async/turn-budget.ts'

const DELIVERIES_PER_TURN = 500

/** A projected object with its identity, which was read before the projection. */
export interface Decoded<T> {
  readonly key: string
  readonly object: T
  readonly resourceVersion: string
  readonly uid: string
}

/** Returns the stored object if it has exactly this version, else undefined. */
export type FindStored<T> = (key: string, uid: string, resourceVersion: string) => T | undefined

/** The result of a complete read. */
export interface Snapshot<T> {
  readonly objects: ReadonlyMap<string, Decoded<T>>
  /** Keys of objects that exist but could not be read: their stored state stays. */
  readonly unread: ReadonlySet<string>
}

/** Handlers of changes, called in order. If one throws, that is logged, and the others are still called. */
export interface ReflectorHandlers<T> {
  readonly onAdd?: (object: T) => void
  readonly onUpdate?: (old: T, object: T) => void
  /** `object` is the last known state. */
  readonly onDelete?: (object: T) => void
  /** Called once after the first complete list was delivered; at once if it was delivered before. */
  readonly onSynced?: () => void
}

/** Holds the mirrored objects and calls handlers for every change. */
export interface ObjectStore<T> {
  readonly objects: ReadonlyMap<string, T>
  /** Returns the objects under a key of an index, oldest first. */
  byIndex(name: string, value: string): readonly T[]
  /** Returns the resource version of a stored object; undefined if it is not stored. */
  versionOf(key: string): string | undefined
  readonly findStored: FindStored<T>
  upsert(decoded: Decoded<T>): void
  /** `last` is the state at deletion, if it is known. */
  remove(key: string, last?: T): void
  /** Makes the store equal to a snapshot, in slices, and calls the handlers for the differences. */
  replace(snapshot: Snapshot<T>): Promise<void>
  subscribe(handlers: ReflectorHandlers<T>): () => void
  /** Marks the first complete read as delivered. */
  setSynced(): void
  counts(): { readonly events: number; readonly handlerErrors: number }
}

/** The version of a stored object. */
interface Identity {
  readonly resourceVersion?: string | undefined
  readonly uid?: string | undefined
}

/** Creates an empty store. `resource` names it in logs. */
export function createObjectStore<T extends KubernetesObject>(
  resource: string,
  log: Logger,
  definitions: Readonly<Record<string, IndexKeys<T>>> = {},
): ObjectStore<T> {
  const objects = new Map<string, T>()
  /**
   * Identities of the objects whose projection dropped them. All other objects have theirs in the metadata, because an
   * entry costs 100 bytes for each of many thousands of pods.
   */
  const droppedIdentities = new Map<string, Identity>()
  const identityOf = (key: string): Identity | undefined => droppedIdentities.get(key) ?? objects.get(key)?.metadata
  const subscribers = new Set<ReflectorHandlers<T>>()
  let isSynced = false
  let events = 0
  let handlerErrors = 0

  const guarded = (task: () => void, object?: string): void => {
    try {
      task()
    } catch (err) {
      handlerErrors += 1
      log.error({ err, resource, object }, 'A handler or an index of a reflector failed')
    }
  }
  const indexes = createIndexes(definitions, guarded)
  const deliver = (key: string, call: (handlers: ReflectorHandlers<T>) => void): void => {
    events += 1
    for (const handlers of subscribers) guarded(() => call(handlers), key)
  }

  const remove = (key: string, last?: T): void => {
    const stored = objects.get(key)
    if (stored === undefined) return
    objects.delete(key)
    droppedIdentities.delete(key)
    indexes.drop(key)
    const object = last ?? stored
    deliver(key, (handlers) => handlers.onDelete?.(object))
  }

  const findStored: FindStored<T> = (key, uid, resourceVersion) => {
    const known = identityOf(key)
    const isSame = uid !== '' && known?.uid === uid && known.resourceVersion === resourceVersion
    return isSame ? objects.get(key) : undefined
  }
  const upsert = ({ key, object, resourceVersion, uid }: Decoded<T>): void => {
    const known = identityOf(key)
    if (findStored(key, uid, resourceVersion) !== undefined) return
    // The same name with another uid is another object: its predecessor's deletion was missed.
    if (known !== undefined && (known.uid ?? '') !== uid) remove(key)
    const old = objects.get(key)
    objects.set(key, object)
    const { metadata } = object
    if (metadata?.uid === uid && metadata.resourceVersion === resourceVersion) droppedIdentities.delete(key)
    else droppedIdentities.set(key, { resourceVersion, uid })
    indexes.put(key, object)
    if (old === undefined) deliver(key, (handlers) => handlers.onAdd?.(object))
    else deliver(key, (handlers) => handlers.onUpdate?.(old, object))
  }

  return {
    objects,
    upsert,
    remove,
    findStored,
    byIndex: (name, value) => [...indexes.find(name, value)].flatMap((key) => objects.get(key) ?? []),
    versionOf: (key) => identityOf(key)?.resourceVersion,
    async replace(snapshot) {
      const budget = createTurnBudget(DELIVERIES_PER_TURN)
      for (const key of objects.keys()) {
        if (snapshot.objects.has(key) || snapshot.unread.has(key)) continue
        remove(key)
        await budget.spend(1)
      }
      for (const decoded of snapshot.objects.values()) {
        upsert(decoded)
        await budget.spend(1)
      }
    },
    subscribe(handlers) {
      subscribers.add(handlers)
      for (const [key, object] of objects) guarded(() => handlers.onAdd?.(object), key)
      if (isSynced) guarded(() => handlers.onSynced?.())
      return () => void subscribers.delete(handlers)
    },
    setSynced() {
      if (isSynced) return
      isSynced = true
      for (const handlers of subscribers) guarded(() => handlers.onSynced?.())
    },
    counts: () => ({ events, handlerErrors }),
  }
}
