import type { ApiObject } from '../../schema/json/api-object.ts'
import {
  equalJson,
  isObject,
  objectAt,
  own,
  stringAt,
  withField,
  type JsonObject,
} from '../../schema/json/json-object.ts'
import { isEmptySet, type FieldSet } from './field-set.ts'
import { sortEntries, managedFieldsOf, type ManagedFieldsEntry } from './managed-fields.ts'

/**
 * Returns the managedFields entries that a write of the main resource starts from: those in the request when it has valid
 * ones, otherwise those of the stored object. An empty list and a list with one empty entry both remove all entries.
 *
 * @param isKnown - Whether the object is served in an apiVersion. Entries of other versions are dropped.
 * @see k8s.io/apimachinery pkg/util/managedfields decodeLiveOrNew (v0.36)
 */
export function liveOrSentManagedFields(
  old: ApiObject,
  next: ApiObject,
  isKnown: (apiVersion: string) => boolean,
): readonly ManagedFieldsEntry[] {
  const live = managedFieldsOf(old)
  const sent: readonly unknown[] | undefined = next.metadata.managedFields
  if (sent === undefined || equalJson(sent, live)) return live
  const [first] = sent
  if (first === undefined || (sent.length === 1 && equalJson(first, {}))) return []
  if (!sent.every(isValidEntry)) return live
  const byOwner = new Map(sent.map((entry) => [ownerKey(entry), withoutEmptyManager(entry)]))
  const kept = [...byOwner.values()].filter(
    ({ apiVersion, fieldsV1 }) => isKnown(apiVersion) && !isEmptySet(fieldsV1 ?? {}),
  )
  return sortEntries(kept)
}

function isValidEntry(entry: unknown): boolean {
  return (
    ['Apply', 'Update'].includes(stringAt(entry, 'operation')) &&
    stringAt(entry, 'fieldsType') === 'FieldsV1' &&
    isFieldSet(objectAt(entry, 'fieldsV1'))
  )
}

const ELEMENT_PATTERN = /^(?:\.$|f:|i:-?\d+$|[kv]:)/

function isFieldSet(set: unknown): set is FieldSet {
  return isObject(set) && Object.entries(set).every(([element, below]) => isElement(element) && isFieldSet(below))
}

function isElement(element: string): boolean {
  if (!ELEMENT_PATTERN.test(element)) return false
  if (element[0] !== 'k' && element[0] !== 'v') return true
  try {
    const value: unknown = JSON.parse(element.slice(2))
    return element[0] === 'v' || isObject(value)
  } catch {
    return false
  }
}

// Go's omitempty: an empty manager is left out.
function withoutEmptyManager(entry: unknown): ManagedFieldsEntry {
  const plain = entry as ManagedFieldsEntry & JsonObject
  return plain.manager === '' ? withField(plain, 'manager', undefined) : plain
}

function ownerKey(entry: unknown): string {
  return JSON.stringify(['manager', 'operation', 'apiVersion', 'subresource'].map((key) => own(entry, key) ?? ''))
}
