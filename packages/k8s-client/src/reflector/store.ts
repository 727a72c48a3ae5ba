import type { Logger } from '@berth/types'
import { createTurns } from './turns.ts'
import type { ReflectorHandlers } from './types.ts'

const DELIVERIES_PER_TURN = 500

/** An object with what the store has to know of it, taken before projection. */
export interface Decoded<T> {
  readonly key: string
  readonly object: T
  readonly resourceVersion: string
  readonly uid: string
}

/** A complete read. */
export interface Snapshot<T> {
  readonly objects: ReadonlyMap<string, Decoded<T>>
  /** Keys of objects that exist but could not be read: their older state stays. */
  readonly unread: ReadonlySet<string>
}

/** Holds the mirrored objects and tells handlers what changed. */
export interface ObjectStore<T> {
  readonly objects: ReadonlyMap<string, T>
  /** Resource version of a stored object; undefined where there is none. */
  versionOf(key: string): string | undefined
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
export function createObjectStore<T>(resource: string, log: Logger): ObjectStore<T> {
  const objects = new Map<string, T>()
  const versions = new Map<string, { readonly resourceVersion: string; readonly uid: string }>()
  const subscribers = new Set<ReflectorHandlers<T>>()
  let isSynced = false
  let events = 0
  let handlerErrors = 0

  const guarded = (task: () => void): void => {
    try {
      task()
    } catch (err) {
      handlerErrors += 1
      log.error({ err, resource }, 'A reflector handler failed')
    }
  }
  const deliver = (call: (handlers: ReflectorHandlers<T>) => void): void => {
    events += 1
    for (const handlers of subscribers) guarded(() => call(handlers))
  }

  const remove = (key: string, last?: T): void => {
    const stored = objects.get(key)
    if (stored === undefined) return
    objects.delete(key)
    versions.delete(key)
    const object = last ?? stored
    deliver((handlers) => handlers.onDelete?.(object))
  }

  const upsert = ({ key, object, resourceVersion, uid }: Decoded<T>): void => {
    const known = versions.get(key)
    if (known !== undefined && known.uid === uid && known.resourceVersion === resourceVersion && uid !== '') return
    // The same name with another uid is another object: its predecessor's deletion was missed.
    if (known !== undefined && known.uid !== uid) remove(key)
    const old = objects.get(key)
    objects.set(key, object)
    versions.set(key, { resourceVersion, uid })
    if (old === undefined) deliver((handlers) => handlers.onAdd?.(object))
    else deliver((handlers) => handlers.onUpdate?.(old, object))
  }

  return {
    objects,
    upsert,
    remove,
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
      for (const object of objects.values()) guarded(() => handlers.onAdd?.(object))
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
