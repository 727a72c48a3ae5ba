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
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) delete metadata[key]
    else metadata[key] = value
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
