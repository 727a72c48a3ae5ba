import type { ObjectType } from '@berth/kube-schema'
import type { ApiObject } from '../../schema/json/api-object.ts'
import { withMetadata } from '../../schema/json/api-object.ts'
import { byCodeUnit, isObject, withField, type JsonObject } from '../../schema/json/json-object.ts'
import { rootCursor } from '../../schema/cursor.ts'
import { compareFields, type FieldDifference } from './compare-fields.ts'
import { isEmptySet, difference, union, type FieldSet } from './field-set.ts'

/** One entry of `metadata.managedFields`. */
export interface ManagedFieldsEntry {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  /** Absent for an applier that has not changed the object, and for writes through the scale subresource. */
  readonly time?: string
  readonly fieldsType: 'FieldsV1'
  readonly fieldsV1: FieldSet
  readonly subresource?: string
}

/** The manager and the request behind a write: the identity of a managedFields entry. */
export interface Writer {
  readonly manager: string
  readonly apiVersion: string
  /** `''` for the main resource. */
  readonly subresource: string
  /** RFC 3339. */
  readonly time: string
}

/** Returns the managedFields entries of an object. */
export function managedFieldsOf(object: ApiObject | undefined): readonly ManagedFieldsEntry[] {
  return (object?.metadata.managedFields ?? []) as readonly ManagedFieldsEntry[]
}

/** Returns whether an entry belongs to the writer. */
export function isEntryOf(
  entry: ManagedFieldsEntry,
  writer: Writer,
  operation: ManagedFieldsEntry['operation'],
): boolean {
  return (
    entry.manager === writer.manager &&
    entry.operation === operation &&
    (entry.subresource ?? '') === writer.subresource &&
    entry.apiVersion === writer.apiVersion
  )
}

/** Returns a new entry. */
export function createEntry(
  writer: Writer,
  operation: ManagedFieldsEntry['operation'],
  fields: FieldSet,
): ManagedFieldsEntry {
  return {
    manager: writer.manager,
    operation,
    apiVersion: writer.apiVersion,
    time: writer.time,
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...(writer.subresource === '' ? {} : { subresource: writer.subresource }),
  }
}

/** Sorts entries as upstream: applied ones first, then by time (no time is the earliest) and by manager. */
export function sortEntries(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  const keyOf = ({ operation, time = '', manager, apiVersion, subresource = '' }: ManagedFieldsEntry): string =>
    [operation, time, manager, apiVersion, subresource].join('\n')
  return entries.toSorted((a, b) => byCodeUnit(keyOf(a), keyOf(b)))
}

/**
 * Returns `next` with the writer as the owner of the fields that differ from `old`; other managers lose them. An existing
 * object without entries gets none until it is applied.
 *
 * @param entries - Entries before the write.
 */
export function recordUpdate(
  type: ObjectType,
  old: ApiObject | undefined,
  next: ApiObject,
  writer: Writer,
  entries: readonly ManagedFieldsEntry[] = managedFieldsOf(old),
): ApiObject {
  if (old !== undefined && entries.length === 0) return withMetadata(next, { managedFields: undefined })
  const { changed, removed } = ownableDifference(type, old, next)
  if (isEmptySet(changed) && isEmptySet(removed)) {
    return withMetadata(next, { managedFields: entries.length === 0 ? undefined : entries })
  }
  const touched = union(changed, removed)
  let isRecorded = false
  const kept = entries.flatMap((entry): readonly ManagedFieldsEntry[] => {
    const isOwn = isEntryOf(entry, writer, 'Update')
    if (isOwn) isRecorded = true
    const fieldsV1 = isOwn ? ownedAfterWrite(entry.fieldsV1, changed, removed) : difference(entry.fieldsV1, touched)
    if (isEmptySet(fieldsV1)) return []
    return [
      isOwn ? createEntry(writer, 'Update', fieldsV1) : fieldsV1 === entry.fieldsV1 ? entry : { ...entry, fieldsV1 },
    ]
  })
  const added = isRecorded || isEmptySet(changed) ? [] : [createEntry(writer, 'Update', changed)]
  const managedFields = sortEntries([...kept, ...added])
  return withMetadata(next, { managedFields: managedFields.length === 0 ? undefined : managedFields })
}

/** Returns the fields of the writer after its write: the same set, not a copy, when it wrote only fields that it owned. */
function ownedAfterWrite(owned: FieldSet, changed: FieldSet, removed: FieldSet): FieldSet {
  if (isEmptySet(removed) && containsAll(owned, changed)) return owned
  return union(difference(owned, removed), changed)
}

function containsAll(set: FieldSet, part: FieldSet): boolean {
  const keys = Object.keys(part)
  if (keys.length === 0) return isEmptySet(set) || set['.'] !== undefined
  return keys.every((key) => {
    const below = part[key]
    const own = set[key]
    return own !== undefined && below !== undefined && containsAll(own, below)
  })
}

/** Compares the fields of two versions of an object that can have owners. */
export function ownableDifference(type: ObjectType, old: ApiObject | undefined, next: ApiObject): FieldDifference {
  const before = old === undefined ? {} : ownablePart(old)
  const { changed, removed } = compareFields(before, ownablePart(next), rootCursor(type))
  const present = type.members === undefined ? ALWAYS_PRESENT_CUSTOM : ALWAYS_PRESENT
  return { changed: withoutAlwaysPresent(changed, present), removed: withoutAlwaysPresent(removed, present) }
}

const OWNABLE_METADATA: ReadonlySet<string> = new Set([
  'annotations',
  'finalizers',
  'generateName',
  'labels',
  'ownerReferences',
])

/** Returns the part of an object that can have owners: neither its identity nor the metadata that the server sets. */
export function ownablePart(object: JsonObject): JsonObject {
  const { apiVersion: _, kind: __, metadata, ...rest } = object
  const kept = Object.entries(isObject(metadata) ? metadata : {}).filter(([key]) => OWNABLE_METADATA.has(key))
  return kept.length === 0 ? rest : { ...rest, metadata: Object.fromEntries(kept) }
}

/** A tree of fields that Go writes even when they are empty, because their types cannot omit them. */
interface AlwaysPresent {
  readonly [element: string]: AlwaysPresent
}

const POD_SPEC: AlwaysPresent = { 'f:containers': {} }
const TEMPLATE: AlwaysPresent = { 'f:metadata': {}, 'f:spec': POD_SPEC }
const ALWAYS_PRESENT: AlwaysPresent = {
  'f:metadata': {},
  'f:status': { 'f:acceptedNames': {} },
  'f:spec': {
    'f:names': {},
    ...POD_SPEC,
    'f:strategy': {},
    'f:updateStrategy': {},
    'f:template': TEMPLATE,
    'f:jobTemplate': { 'f:metadata': {}, 'f:spec': { 'f:template': TEMPLATE } },
  },
}

// Custom resources have no Go type, so only metadata is always present.
const ALWAYS_PRESENT_CUSTOM: AlwaysPresent = { 'f:metadata': {} }

// A field that even an empty object has cannot have an owner; the fields below it can.
function withoutAlwaysPresent(set: FieldSet, present: AlwaysPresent): FieldSet {
  return Object.fromEntries(
    Object.entries(set).flatMap(([element, node]) => {
      const below = present[element]
      if (below === undefined) return [[element, node] as const]
      const rest = withoutAlwaysPresent(withField(node, '.', undefined), below)
      return isEmptySet(rest) ? [] : [[element, rest] as const]
    }),
  )
}
