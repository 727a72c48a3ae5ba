import type { Field, FieldType, ObjectType } from '@berth/kube-schema'

/**
 * The schema position of a value while a patch or an ownership comparison descends through an object: the value's type,
 * and how the field that holds it merges. A value without a type is treated as a granular object or an atomic list.
 */
export interface Cursor {
  readonly type: FieldType | undefined
  readonly field: Field | undefined
}

const UNKNOWN: Cursor = { type: undefined, field: undefined }

/** Returns the cursor of a whole object. */
export function rootCursor(object: ObjectType): Cursor {
  return { type: { kind: 'object', object }, field: undefined }
}

/** Returns the cursor of the value under `key` of an object or a map. */
export function childCursor(cursor: Cursor, key: string): Cursor {
  const { type } = cursor
  if (type?.kind === 'map') return { type: type.element, field: undefined }
  const field = type?.kind === 'object' ? type.object.fields.get(key) : undefined
  return field === undefined ? UNKNOWN : { type: field.type, field }
}

/** Returns the cursor of an item of a list. */
export function itemCursor(cursor: Cursor): Cursor {
  return cursor.type?.kind === 'list' ? { type: cursor.type.element, field: undefined } : UNKNOWN
}

/** Returns whether the object at the cursor is atomic: it has one owner as a whole. */
export function isAtomicObject({ type, field }: Cursor): boolean {
  if (field?.isAtomic === true) return true
  if (type?.kind === 'object') return type.object.isAtomic || type.object.isUnion
  return type?.kind === 'scalar' && ['RawExtension', 'FieldsV1', 'JSON'].includes(type.scalar)
}
