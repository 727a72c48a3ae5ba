import { isRecord, type KubernetesObject } from '@berth/types'
import type { Decoded, FindHeld } from '../store/object-store.ts'

/** A decoded object, or one that could not be read, with as much of its identity as is known. */
export type DecodeResult<T> =
  | ({ readonly kind: 'decoded' } & Decoded<T>)
  | {
      readonly kind: 'unreadable'
      readonly key: string | undefined
      readonly resourceVersion: string
      readonly cause: unknown
    }

/**
 * Takes what the store needs from a raw object and projects it.
 *
 * @param project - Throwing makes the object unreadable.
 * @param held - What it finds is taken instead: reading everything again must not double what is held.
 */
export function decodeObject<T extends KubernetesObject>(
  raw: unknown,
  project: (object: T) => T,
  held: FindHeld<T> = () => undefined,
): DecodeResult<T> {
  const metadata = isRecord(raw) && isRecord(raw['metadata']) ? raw['metadata'] : undefined
  const name = metadata?.['name']
  const resourceVersion = textOf(metadata?.['resourceVersion'])
  if (typeof name !== 'string' || name === '')
    return { kind: 'unreadable', key: undefined, resourceVersion, cause: new Error('the object has no name') }
  const namespace = textOf(metadata?.['namespace'])
  const key = namespace === '' ? name : `${namespace}/${name}`
  const uid = textOf(metadata?.['uid'])
  try {
    const object = held(key, uid, resourceVersion) ?? project(raw as T)
    return { kind: 'decoded', key, object, resourceVersion, uid }
  } catch (cause) {
    return { kind: 'unreadable', key, resourceVersion, cause }
  }
}

/** The default projection: managedFields are the largest part of most objects and nobody here reads them. */
export function dropManagedFields<T extends KubernetesObject>(object: T): T {
  if (object.metadata?.managedFields === undefined) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
