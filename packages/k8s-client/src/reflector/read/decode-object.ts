import { isRecord, type KubernetesObject } from '@berth/types'
import type { Decoded, FindStored } from '../store/object-store.ts'

/** A decoded object, or one that cannot be read, with the known parts of its identity. */
export type DecodeResult<T> =
  | ({ readonly kind: 'decoded' } & Decoded<T>)
  | {
      readonly kind: 'unreadable'
      readonly key: string | undefined
      readonly resourceVersion: string
      readonly cause: unknown
    }

/**
 * Reads the identity of a raw object and projects it for the store.
 *
 * @param project - If it throws, the object counts as unreadable.
 * @param findStored - An object that it finds is returned instead, so that a relist does not double the memory.
 */
export function decodeObject<T extends KubernetesObject>(
  raw: unknown,
  project: (object: T) => T,
  findStored: FindStored<T> = () => undefined,
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
    const object = findStored(key, uid, resourceVersion) ?? project(raw as T)
    return { kind: 'decoded', key, object, resourceVersion, uid }
  } catch (cause) {
    return { kind: 'unreadable', key, resourceVersion, cause }
  }
}

/** Removes managedFields, the default projection: they are the largest part of most objects and are not used. */
export function dropManagedFields<T extends KubernetesObject>(object: T): T {
  if (object.metadata?.managedFields === undefined) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
