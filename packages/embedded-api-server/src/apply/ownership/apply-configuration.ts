import { counted } from '@berth/text/counted'
import type { ObjectType } from '@berth/kube-schema'
import { equalJson, isObject, withField, type JsonObject } from '../../schema/json/json-object.ts'
import type { ApiObject } from '../../schema/json/api-object.ts'
import { withMetadata } from '../../schema/json/api-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { applyConflict } from '../../schema/status/api-errors.ts'
import { childCursor, isAtomicObject, itemCursor, rootCursor, type Cursor } from '../../schema/cursor.ts'
import { appliedFields, compareFields } from './compare-fields.ts'
import { intersection, isEmptySet, pathsOf, difference, union, type FieldSet } from './field-set.ts'
import { itemElements, itemsByElement } from './item-elements.ts'
import {
  ownableDifference,
  createEntry,
  sortEntries,
  isEntryOf,
  managedFieldsOf,
  ownablePart,
  type ManagedFieldsEntry,
  type Writer,
} from './managed-fields.ts'

/**
 * Returns the object after `writer` applied `configuration` to `live` (undefined when the object does not exist yet). Fields are
 * merged one by one. Fields that the writer applied before and that no manager owns any more are removed.
 *
 * @throws BERTH_SIMULATOR_REFUSED (409) when other managers own fields that would change and `isForced` is false.
 */
export function applyConfiguration(
  type: ObjectType,
  live: ApiObject | undefined,
  configuration: ApiObject,
  options: { readonly writer: Writer; readonly isForced: boolean },
): ApiObject {
  const { writer, isForced } = options
  const cursor = rootCursor(type)
  const fields = appliedFields(ownablePart(configuration), cursor)
  const merged = (live === undefined ? configuration : mergeValue(live, configuration, cursor)) as ApiObject
  const entries = managedFieldsBefore(type, live, writer)
  const previousEntry = entries.find((entry) => isEntryOf(entry, writer, 'Apply'))
  const others = entries.filter((entry) => entry !== previousEntry)
  const { changed } = compareFields(ownablePart(live ?? {}), ownablePart(merged), cursor)
  const contestedFields = intersection(changed, fields)
  if (!isForced) requireNoConflict(others, contestedFields)
  const remaining = others.flatMap((entry) => {
    const fieldsV1 = difference(entry.fieldsV1, contestedFields)
    return isEmptySet(fieldsV1) ? [] : [{ ...entry, fieldsV1 }]
  })
  const owned = remaining.reduce((set, entry) => union(set, entry.fieldsV1), fields)
  const pruned =
    previousEntry === undefined ? merged : (removeFields(merged, previousEntry.fieldsV1, owned, cursor) as ApiObject)
  const changesObject = live === undefined || !equalJson(ownablePart(pruned), ownablePart(live))
  const entry = entryAfterApply(createEntry(writer, 'Apply', fields), previousEntry, changesObject)
  return withMetadata(pruned, { managedFields: sortEntries([entry, ...remaining]) })
}

function entryAfterApply(
  applied: ManagedFieldsEntry,
  previous: ManagedFieldsEntry | undefined,
  changesObject: boolean,
): ManagedFieldsEntry {
  if (previous !== undefined && equalJson(previous.fieldsV1, applied.fieldsV1)) return previous
  if (changesObject) return applied
  // A manager that only becomes an owner of unchanged fields has not changed the object, so its entry gets no new time.
  const { time: _, ...entry } = applied
  return previous?.time === undefined ? entry : { ...entry, time: previous.time }
}

/** The manager that upstream records for the existing fields of an object without managedFields. */
const BEFORE_FIRST_APPLY = 'before-first-apply'

function managedFieldsBefore(
  type: ObjectType,
  live: ApiObject | undefined,
  writer: Writer,
): readonly ManagedFieldsEntry[] {
  const entries = managedFieldsOf(live)
  if (live === undefined || entries.length > 0) return entries
  const { changed } = ownableDifference(type, undefined, live)
  return isEmptySet(changed) ? [] : [createEntry({ ...writer, manager: BEFORE_FIRST_APPLY }, 'Update', changed)]
}

function mergeValue(live: unknown, config: unknown, cursor: Cursor): unknown {
  if (isObject(live) && isObject(config) && !isAtomicObject(cursor)) {
    const result: Record<string, unknown> = { ...live }
    for (const key of Object.keys(config)) {
      const old = Object.hasOwn(live, key) ? live[key] : undefined
      result[key] = old === undefined ? config[key] : mergeValue(old, config[key], childCursor(cursor, key))
    }
    return result
  }
  if (Array.isArray(live) && Array.isArray(config)) {
    const oldElements = itemElements(live, cursor)
    const newElements = itemElements(config, cursor)
    if (oldElements !== undefined && newElements !== undefined) {
      const applied = itemsByElement(config, newElements)
      const kept = live.map((item: unknown, i) => {
        const element = oldElements[i] ?? ''
        return applied.has(element) ? mergeValue(item, applied.get(element), itemCursor(cursor)) : item
      })
      const known = new Set(oldElements)
      return [...kept, ...newElements.flatMap((element, i) => (known.has(element) ? [] : [config[i] as unknown]))]
    }
  }
  return config
}

/** Removes the applied fields unless they, or fields below them, are in `owned`. */
function removeFields(value: unknown, applied: FieldSet, owned: FieldSet, cursor: Cursor): unknown {
  if (isObject(value)) {
    let result: JsonObject = value
    for (const [element, appliedBelow] of Object.entries(applied)) {
      const key = element.slice(2)
      if (!element.startsWith('f:') || !Object.hasOwn(value, key)) continue
      const rest = remainingValue(value[key], appliedBelow, owned[element], childCursor(cursor, key))
      result = withField(result, key, rest)
    }
    return result
  }
  if (!Array.isArray(value)) return value
  const elements = itemElements(value, cursor) ?? []
  return value.flatMap((item: unknown, i) => {
    const element = elements[i] ?? ''
    const appliedBelow = applied[element]
    if (appliedBelow === undefined) return [item]
    const ownedBelow = owned[element]
    return ownedBelow === undefined ? [] : [removeFields(item, appliedBelow, ownedBelow, itemCursor(cursor))]
  })
}

/** Returns the value of an applied field without the fields that have no owner; undefined when nothing remains. */
function remainingValue(value: unknown, applied: FieldSet, owned: FieldSet | undefined, cursor: Cursor): unknown {
  if (owned !== undefined) return removeFields(value, applied, owned, cursor)
  if (!hasChildren(applied)) return undefined
  const rest = removeFields(value, applied, {}, cursor)
  return isEmptyContainer(rest) ? undefined : rest
}

function hasChildren(node: FieldSet): boolean {
  return Object.keys(node).some((element) => element !== '.')
}

function isEmptyContainer(value: unknown): boolean {
  return (isObject(value) && Object.keys(value).length === 0) || (Array.isArray(value) && value.length === 0)
}

function requireNoConflict(others: readonly ManagedFieldsEntry[], contestedFields: FieldSet): void {
  const conflicts = others
    .toSorted((a, b) => (a.manager < b.manager ? -1 : 1))
    .map((entry) => ({ entry, fields: intersection(entry.fieldsV1, contestedFields) }))
    .filter(({ fields }) => !isEmptySet(fields))
  if (conflicts.length > 0) throw conflictError(conflicts)
}

function conflictError(conflicts: readonly { readonly entry: ManagedFieldsEntry; readonly fields: FieldSet }[]): Error {
  const details = conflicts.map(({ entry, fields }) => {
    const subresource = entry.subresource === undefined ? '' : ` with subresource "${entry.subresource}"`
    const version = entry.operation === 'Update' ? ` using ${entry.apiVersion}` : ''
    return { manager: `"${entry.manager}"${subresource}${version}`, paths: pathsOf(fields) }
  })
  const causes: readonly StatusCause[] = details.flatMap(({ manager, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${manager}`, field })),
  )
  const count = `Apply failed with ${counted(causes.length, 'conflict')}`
  const [only] = details
  if (causes.length === 1 && only !== undefined) {
    return applyConflict(causes, `${count}: conflict with ${only.manager}: ${only.paths.join('')}`)
  }
  const lists = details.map(
    ({ manager, paths }) => `conflicts with ${manager}:\n${paths.map((path) => `- ${path}`).join('\n')}`,
  )
  return applyConflict(causes, `${count}: ${lists.join('\n')}`)
}
