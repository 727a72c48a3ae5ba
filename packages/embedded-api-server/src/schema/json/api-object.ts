import type { ObjectMeta } from '@berth/types'

/** An API object as the server holds it: plain JSON, never changed in place. */
export interface ApiObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly [field: string]: unknown
}

/** A copy with other metadata; fields set to undefined are dropped. */
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

/** The storage key within one kind: `namespace/name`, or `name` where there is no namespace. */
export function keyOf(object: ApiObject): string {
  return storageKey(object.metadata.namespace ?? '', object.metadata.name ?? '')
}

/** See {@link keyOf}. */
export function storageKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`
}
