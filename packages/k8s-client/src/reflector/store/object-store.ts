import type { Logger } from '@berth/types'
import { createIndexes, type IndexKeys } from './object-indexes.ts'
import { createTurns } from '../../async/turns.ts'

const DELIVERIES_PER_TURN = 500

/** An object with what the store has to know of it, taken before projection. */
export interface Decoded<T> {
  readonly key: string
  readonly object: T
  readonly resourceVersion: string
  readonly uid: string
}

/** An object that is held in this very version; undefined where it is not. */
export type FindHeld<T> = (key: string, uid: string, resourceVersion: string) => T | undefined

/** A complete read. */
export interface Snapshot<T> {
  readonly objects: ReadonlyMap<string, Decoded<T>>
  /** Keys of objects that exist but could not be read: their older state stays. */
  readonly unread: ReadonlySet<string>
}

/** Called for every change, in order. A handler that throws is logged and does not disturb others. */
export interface ReflectorHandlers<T> {
  readonly onAdd?: (object: T) => void
  readonly onUpdate?: (old: T, object: T) => void
  /** `object` is the last known state. */
  readonly onDelete?: (object: T) => void
  /** Called once after the first complete list has been delivered, at once when that was before. */
  readonly onSynced?: () => void
}

/** Holds the mirrored objects and tells handlers what changed. */
export interface ObjectStore<T> {
  readonly objects: ReadonlyMap<string, T>
  /** Objects under a key of an index, oldest first. */
  byIndex(name: string, value: string): readonly T[]
  /** Resource version of a stored object; undefined where there is none. */
  versionOf(key: string): string | undefined
  readonly held: FindHeld<T>
  upsert(decoded: Decoded<T>): void
  /** `last` is the state at deletion, where it is known. */
  remove(key: string, last?: T): void
  /** Makes the store equal to a snapshot, in slices; handlers hear the differences. */
  replace(snapshot: Snapshot<T>): Promise<void>
  subscribe(handlers: ReflectorHandlers<T>): () => void
  /** Marks the first complete read as delivered. */
  setSynced(): void
  counts(): { readonly events: number; readonly handlerErrors: number }
}

/** Makes an empty store. `resource` names it in logs. */
export function createObjectStore<T>(
  resource: string,
  log: Logger,
  definitions: Readonly<Record<string, IndexKeys<T>>> = {},
): ObjectStore<T> {
  const objects = new Map<string, T>()
  const versions = new Map<string, { readonly resourceVersion: string; readonly uid: string }>()
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
    versions.delete(key)
    indexes.drop(key)
    const object = last ?? stored
    deliver(key, (handlers) => handlers.onDelete?.(object))
  }

  const held: FindHeld<T> = (key, uid, resourceVersion) => {
    const known = versions.get(key)
    const isSame = uid !== '' && known?.uid === uid && known.resourceVersion === resourceVersion
    return isSame ? objects.get(key) : undefined
  }
  const upsert = ({ key, object, resourceVersion, uid }: Decoded<T>): void => {
    const known = versions.get(key)
    if (held(key, uid, resourceVersion) !== undefined) return
    // The same name with another uid is another object: its predecessor's deletion was missed.
    if (known !== undefined && known.uid !== uid) remove(key)
    const old = objects.get(key)
    objects.set(key, object)
    versions.set(key, { resourceVersion, uid })
    indexes.put(key, object)
    if (old === undefined) deliver(key, (handlers) => handlers.onAdd?.(object))
    else deliver(key, (handlers) => handlers.onUpdate?.(old, object))
  }

  return {
    objects,
    upsert,
    remove,
    held,
    byIndex: (name, value) => [...indexes.find(name, value)].flatMap((key) => objects.get(key) ?? []),
    versionOf: (key) => versions.get(key)?.resourceVersion,
    async replace(snapshot) {
      const turns = createTurns(DELIVERIES_PER_TURN)
      for (const key of objects.keys()) {
        if (snapshot.objects.has(key) || snapshot.unread.has(key)) continue
        remove(key)
        await turns.spend(1)
      }
      for (const decoded of snapshot.objects.values()) {
        upsert(decoded)
        await turns.spend(1)
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
