import type { Field, FieldType, ObjectType } from './field-type.ts'
import { knownTypes } from './known-types.ts'

/**
 * What is known of a value while a patch or an ownership walk descends through an object: its type, and how the field
 * that holds it merges. Unknown values are granular objects, and lists owned as a whole.
 */
export interface Cursor {
  readonly type: FieldType | undefined
  readonly field: Field | undefined
}

const UNKNOWN: Cursor = { type: undefined, field: undefined }

/** The cursor of a whole object of this type: one of the server's own by name, or any. */
export function rootCursor(type: string | ObjectType): Cursor {
  return {
    type: typeof type === 'string' ? { kind: 'ref', name: type } : { kind: 'ref', name: type.name, object: type },
    field: undefined,
  }
}

/** The object type under the cursor; undefined for everything else. */
export function objectTypeAt(cursor: Cursor): ObjectType | undefined {
  return cursor.type?.kind === 'ref' ? (cursor.type.object ?? knownTypes.get(cursor.type.name)) : undefined
}

/** The cursor of the value under `key` of an object or a map. */
export function childCursor(cursor: Cursor, key: string): Cursor {
  if (cursor.type?.kind === 'map') return { type: cursor.type.element, field: undefined }
  const field = objectTypeAt(cursor)?.fields.get(key)
  return field === undefined ? UNKNOWN : { type: field.type, field }
}

/** The cursor of an item of a list. */
export function itemCursor(cursor: Cursor): Cursor {
  return cursor.type?.kind === 'list' ? { type: cursor.type.element, field: undefined } : UNKNOWN
}

/** Whether the value under the cursor has one owner as a whole although it is an object. */
export function isAtomicObject(cursor: Cursor): boolean {
  return (
    cursor.field?.isAtomic === true ||
    objectTypeAt(cursor)?.isAtomic === true ||
    (cursor.type?.kind === 'scalar' && cursor.type.scalar === 'any')
  )
}
