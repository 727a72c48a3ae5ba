import { equalJson, isObject } from '../../schema/json/json-object.ts'
import { childCursor, isAtomicObject, itemCursor, type Cursor } from '../../schema/cursor.ts'
import { isEmptySet, LEAF, type FieldSet } from './field-set.ts'
import { itemElements, itemsByElement } from './item-elements.ts'

/** The fields that differ between two values. */
export interface FieldDifference {
  /** Fields that were added or got another value. */
  readonly changed: FieldSet
  readonly removed: FieldSet
}

const NO_DIFFERENCE: FieldDifference = { changed: {}, removed: {} }
const ALL_CHANGED: FieldDifference = { changed: LEAF, removed: {} }

/** Compares two values of the type at the cursor, field by field. */
export function compareFields(before: unknown, after: unknown, cursor: Cursor): FieldDifference {
  if (isObject(before) && isObject(after) && !isAtomicObject(cursor)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    const elements = [...keys].map((key) => `f:${key}`)
    return compareElements(elements, (element) => {
      const key = element.slice(2)
      return { before: before[key], after: after[key], cursor: childCursor(cursor, key) }
    })
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const elementsBefore = itemElements(before, cursor)
    const elementsAfter = itemElements(after, cursor)
    if (elementsBefore !== undefined && elementsAfter !== undefined) {
      const itemsBefore = itemsByElement(before, elementsBefore)
      const itemsAfter = itemsByElement(after, elementsAfter)
      return compareElements(new Set([...elementsBefore, ...elementsAfter]), (element) => ({
        before: itemsBefore.get(element),
        after: itemsAfter.get(element),
        cursor: itemCursor(cursor),
      }))
    }
  }
  return equalJson(before, after) ? NO_DIFFERENCE : ALL_CHANGED
}

/** The two values of one path element; undefined where it is absent. */
interface ElementValues {
  readonly before: unknown
  readonly after: unknown
  readonly cursor: Cursor
}

function compareElements(elements: Iterable<string>, valuesOf: (element: string) => ElementValues): FieldDifference {
  const changed: Record<string, FieldSet> = {}
  const removed: Record<string, FieldSet> = {}
  for (const element of elements) {
    const { before, after, cursor } = valuesOf(element)
    if (before === after) continue
    if (before === undefined) changed[element] = allFields(after, cursor)
    else if (after === undefined) removed[element] = allFields(before, cursor)
    else {
      // A null list existed already: only its items are new.
      const difference = compareFields(before === null && Array.isArray(after) ? [] : before, after, cursor)
      if (difference === ALL_CHANGED) changed[element] = LEAF
      else {
        if (!isEmptySet(difference.changed)) changed[element] = difference.changed
        if (!isEmptySet(difference.removed)) removed[element] = difference.removed
      }
    }
  }
  return { changed, removed }
}

/** Returns every field of a value, including its containers: what the writer that added the value owns. */
export function allFields(value: unknown, cursor: Cursor): FieldSet {
  return collectFields(value, cursor, true)
}

/** Returns the fields that an apply configuration names. List items have owners; other containers do not. */
export function appliedFields(value: unknown, cursor: Cursor): FieldSet {
  return collectFields(value, cursor, false)
}

function collectFields(value: unknown, cursor: Cursor, withContainers: boolean): FieldSet {
  const container: Record<string, FieldSet> = withContainers ? { '.': LEAF } : {}
  if (isObject(value) && !isAtomicObject(cursor)) {
    const keys = Object.keys(value)
    if (keys.length === 0) return LEAF
    for (const key of keys) container[`f:${key}`] = collectFields(value[key], childCursor(cursor, key), withContainers)
    return container
  }
  if (Array.isArray(value) && value.length > 0) {
    const elements = itemElements(value, cursor)
    if (elements === undefined) return LEAF
    for (const [i, element] of elements.entries()) {
      const inner = collectFields(value[i], itemCursor(cursor), withContainers)
      container[element] = isEmptySet(inner) ? LEAF : { '.': LEAF, ...inner }
    }
    return container
  }
  return LEAF
}
