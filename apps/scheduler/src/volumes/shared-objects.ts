import { orAborted } from '@berth/k8s-client'
import type { SharedObject } from './volume-reservation.ts'

/** The reserved volumes or claims that are not written yet or whose pods are not bound yet, by name. */
export interface SharedObjects<T extends SharedObject> {
  /** Returns the object that other pods hold, for one more pod; undefined when no pod holds it. */
  share(name: string): T | undefined
  /** Adds an object that the first pod holds. It takes the place of one that is based on an older version. */
  add(name: string, object: T): T
  /** Ends the hold of one pod. Returns whether it was the last one. */
  leave(name: string, object: T): boolean
}

/** Creates an empty set. */
export function createSharedObjects<T extends SharedObject>(): SharedObjects<T> {
  const objects = new Map<string, T>()
  return {
    share(name) {
      const object = objects.get(name)
      if (object !== undefined) object.holders += 1
      return object
    },
    add(name, object) {
      objects.set(name, object)
      return object
    },
    leave(name, object) {
      object.holders -= 1
      if (object.holders > 0) return false
      if (objects.get(name) === object) objects.delete(name)
      return true
    },
  }
}

/**
 * Runs `write` unless the object is written, and waits for the write of another pod first, so that two pods with one claim
 * do not write the same version.
 *
 * @throws The error of `write`, or the reason of `signal` when it aborts while another pod writes.
 */
export async function writeOnce(object: SharedObject, write: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (object.writing !== undefined) await orAborted(object.writing, signal)
  if (object.isWritten) return
  const written = write()
  object.writing = written.then(
    () => undefined,
    () => undefined,
  )
  try {
    await written
    object.isWritten = true
    object.isAssumed = false
  } finally {
    object.writing = undefined
  }
}
