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
  const { key, uid, resourceVersion } = identityOf(raw)
  if (key === undefined) return { kind: 'unreadable', key, resourceVersion, cause: new Error('the object has no name') }
  try {
    const object = findStored(key, uid, resourceVersion) ?? project(raw as T)
    return { kind: 'decoded', key, object, resourceVersion, uid }
  } catch (cause) {
    return { kind: 'unreadable', key, resourceVersion, cause }
  }
}

/** Returns the result for an object of which at most the metadata could be decoded. */
export function unreadable(partial: unknown, cause: unknown): DecodeResult<never> {
  const { key, resourceVersion } = identityOf(partial)
  return { kind: 'unreadable', key, resourceVersion, cause }
}

function identityOf(raw: unknown): {
  readonly key: string | undefined
  readonly uid: string
  readonly resourceVersion: string
} {
  const metadata = isRecord(raw) && isRecord(raw['metadata']) ? raw['metadata'] : undefined
  const name = textOf(metadata?.['name'])
  const namespace = textOf(metadata?.['namespace'])
  return {
    key: name === '' ? undefined : namespace === '' ? name : `${namespace}/${name}`,
    uid: textOf(metadata?.['uid']),
    resourceVersion: textOf(metadata?.['resourceVersion']),
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
