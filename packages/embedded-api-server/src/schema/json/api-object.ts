import type { ObjectMeta } from '@berth/types'

/** An API object as stored: plain JSON that is never changed in place. */
export interface ApiObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly [field: string]: unknown
}

/** Returns a copy with changed metadata. Fields set to undefined are removed. */
export function withMetadata(
  object: ApiObject,
  changes: { readonly [K in keyof ObjectMeta]?: ObjectMeta[K] | undefined },
): ApiObject {
  const metadata: Record<string, unknown> = { ...object.metadata }
  for (const key of Object.keys(changes) as (keyof ObjectMeta)[]) {
    if (changes[key] === undefined) delete metadata[key]
    else metadata[key] = changes[key]
  }
  return { ...object, metadata }
}

/** Returns the key of an object within its collection: `namespace/name`, or `name` without a namespace. */
export function keyOf(object: ApiObject): string {
  return storageKey(object.metadata.namespace ?? '', object.metadata.name ?? '')
}

/** Returns the same key as {@link keyOf}, from its parts. */
export function storageKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`
}
