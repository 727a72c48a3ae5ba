import type { ApiObject } from '../json/api-object.ts'
import { withMetadata } from '../json/api-object.ts'
import { isObject, withField, type JsonObject } from '../json/json-object.ts'
import { rootCursor } from '../schema/cursor.ts'
import { compare, type Difference } from './compare.ts'
import { isEmptySet, subtract, unite, type FieldSet } from './field-set.ts'

/** One entry of `metadata.managedFields`. */
export interface ManagedFields {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  /** Absent while the manager has changed nothing but what it owns. */
  readonly time?: string
  readonly fieldsType: 'FieldsV1'
  readonly fieldsV1: FieldSet
  readonly subresource?: string
}

/** Who writes. */
export interface Writer {
  readonly manager: string
  readonly apiVersion: string
  /** `''` for the main resource. */
  readonly subresource: string
  /** RFC 3339. */
  readonly time: string
}

/** The entries of an object. */
export function managedFieldsOf(object: ApiObject | undefined): readonly ManagedFields[] {
  return (object?.metadata.managedFields ?? []) as readonly ManagedFields[]
}

/** Whether an entry belongs to the writer. */
export function isEntryOf(entry: ManagedFields, writer: Writer, operation: ManagedFields['operation']): boolean {
  return (
    entry.manager === writer.manager &&
    entry.operation === operation &&
    (entry.subresource ?? '') === writer.subresource &&
    entry.apiVersion === writer.apiVersion
  )
}

/** A new entry. */
export function entryOf(writer: Writer, operation: ManagedFields['operation'], fields: FieldSet): ManagedFields {
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

/** `next` with the writer as owner of what differs from `old`; other owners lose it. */
export function recordUpdate(typeName: string, old: ApiObject | undefined, next: ApiObject, writer: Writer): ApiObject {
  const { changed, removed } = difference(typeName, old, next)
  const entries = managedFieldsOf(old)
  if (isEmptySet(changed) && isEmptySet(removed))
    return withMetadata(next, { managedFields: old?.metadata.managedFields })
  const lost = unite(changed, removed)
  let isRecorded = false
  const kept = entries.flatMap((entry): readonly ManagedFields[] => {
    const isOwn = isEntryOf(entry, writer, 'Update')
    if (isOwn) isRecorded = true
    const fieldsV1 = isOwn ? unite(subtract(entry.fieldsV1, removed), changed) : subtract(entry.fieldsV1, lost)
    if (isEmptySet(fieldsV1)) return []
    return [isOwn ? entryOf(writer, 'Update', fieldsV1) : fieldsV1 === entry.fieldsV1 ? entry : { ...entry, fieldsV1 }]
  })
  const added = isRecorded || isEmptySet(changed) ? [] : [entryOf(writer, 'Update', changed)]
  const managedFields = [...kept, ...added]
  return withMetadata(next, { managedFields: managedFields.length === 0 ? undefined : managedFields })
}

/** Compares what can be owned of two versions of an object. */
export function difference(typeName: string, old: ApiObject | undefined, next: ApiObject): Difference {
  const before = old === undefined ? {} : ownable(old)
  const { changed, removed } = compare(before, ownable(next), rootCursor(typeName))
  return { changed: withoutTop(changed), removed: withoutTop(removed) }
}

const OWNABLE_METADATA: ReadonlySet<string> = new Set([
  'annotations',
  'finalizers',
  'generateName',
  'labels',
  'ownerReferences',
])

/** The part of an object that can have owners: not its identity, and not what the server keeps. */
export function ownable(object: JsonObject): JsonObject {
  const { apiVersion: _, kind: __, metadata, ...rest } = object
  const kept = Object.entries(isObject(metadata) ? metadata : {}).filter(([key]) => OWNABLE_METADATA.has(key))
  return kept.length === 0 ? rest : { ...rest, metadata: Object.fromEntries(kept) }
}

/** Elements below which more elements of the same kind are. */
interface EverPresent {
  readonly [element: string]: EverPresent
}

const POD_SPEC: EverPresent = { 'f:containers': {} }
const TEMPLATE: EverPresent = { 'f:metadata': {}, 'f:spec': POD_SPEC }
const EVER_PRESENT: EverPresent = {
  'f:metadata': {},
  'f:status': {},
  'f:spec': {
    ...POD_SPEC,
    'f:strategy': {},
    'f:updateStrategy': {},
    'f:template': TEMPLATE,
    'f:jobTemplate': { 'f:metadata': {}, 'f:spec': { 'f:template': TEMPLATE } },
  },
}

// Nobody owns what an object without content has too: upstream's types cannot leave it out.
function withoutTop(set: FieldSet, present: EverPresent = EVER_PRESENT): FieldSet {
  return Object.fromEntries(
    Object.entries(set).map(([element, node]) => {
      const below = present[element]
      return [element, below === undefined ? node : withoutTop(withField(node, '.', undefined), below)]
    }),
  )
}
