import { equalJson, isObject, own, type JsonObject } from '../../schema/json/json-object.ts'
import { badRequest, untypedError } from '../../schema/status/api-errors.ts'
import { childCursor, itemCursor, type Cursor } from '../../schema/cursor.ts'

const ELEMENT_ORDER_PREFIX = '$setElementOrder/'
const DELETE_FROM_PREFIX = '$deleteFromPrimitiveList/'

/**
 * Applies a strategic merge patch. Lists merge by the merge key of the field's type. Directives (`$patch`, `$retainKeys`,
 * `$setElementOrder/…`, `$deleteFromPrimitiveList/…`) express what merging cannot.
 *
 * @see k8s.io/apimachinery pkg/util/strategicpatch (v0.36)
 */
export function applyStrategicMergePatch(target: JsonObject, patch: JsonObject, cursor: Cursor): JsonObject {
  const directive = own(patch, '$patch')
  if (directive === 'replace') return withoutDirectives(patch)
  if (directive === 'delete') return {}
  if (directive !== undefined && directive !== 'merge')
    throw untypedError(`unknown patch type: ${scalarText(directive)} in map: map[$patch:${scalarText(directive)}]`)
  const result: Record<string, unknown> = { ...target }
  const retained = own(patch, '$retainKeys')
  if (Array.isArray(retained)) {
    for (const key of Object.keys(result)) if (!retained.includes(key)) delete result[key]
  }
  for (const key of Object.keys(patch)) {
    const value = patch[key]
    if (key.startsWith(DELETE_FROM_PREFIX)) removeValues(result, key.slice(DELETE_FROM_PREFIX.length), value)
    else if (!key.startsWith('$')) {
      const merged = mergeField(Object.hasOwn(result, key) ? result[key] : undefined, value, childCursor(cursor, key))
      if (merged === undefined) delete result[key]
      else result[key] = merged
    }
  }
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(ELEMENT_ORDER_PREFIX)) continue
    const name = key.slice(ELEMENT_ORDER_PREFIX.length)
    const list = result[name]
    const order = patch[key]
    if (Array.isArray(list) && Array.isArray(order)) {
      result[name] = reorderItems(list, order, childCursor(cursor, name).field?.patch?.key)
    }
  }
  return result
}

function mergeField(target: unknown, value: unknown, cursor: Cursor): unknown {
  if (value === null) return undefined
  if (isObject(value)) {
    const replaces = cursor.field?.patch?.strategies.includes('replace') ?? false
    return replaces ? withoutDirectives(value) : applyStrategicMergePatch(isObject(target) ? target : {}, value, cursor)
  }
  if (!Array.isArray(value)) return value
  const patch = cursor.field?.patch
  if (!(patch?.strategies.includes('merge') ?? false)) return value
  const list = Array.isArray(target) ? target : []
  if (patch?.key === undefined) return [...value.filter((each) => !list.includes(each)), ...list]
  return mergeItems(list, value, patch.key, itemCursor(cursor))
}

function mergeItems(
  list: readonly unknown[],
  patches: readonly unknown[],
  key: string,
  cursor: Cursor,
): readonly unknown[] {
  const replacement = patches.find((each) => own(each, '$patch') === 'replace')
  if (replacement !== undefined) return patches.filter((each) => each !== replacement)
  const result = [...list]
  const added: unknown[] = []
  for (const patch of patches) {
    if (!isObject(patch)) throw badRequest('a strategic merge patch merges a list of objects with something else')
    const id = own(patch, key)
    if (id === undefined) throw badRequest(`map: ${JSON.stringify(patch)} does not contain declared merge key: ${key}`)
    const at = result.findIndex((item) => equalJson(own(item, key), id))
    const current = result[at]
    if (own(patch, '$patch') === 'delete') {
      if (at >= 0) result.splice(at, 1)
    } else if (isObject(current)) result[at] = applyStrategicMergePatch(current, patch, cursor)
    else added.push(applyStrategicMergePatch({}, patch, cursor))
  }
  // Upstream puts new items first.
  return [...added, ...result]
}

function scalarText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function removeValues(result: Record<string, unknown>, key: string, values: unknown): void {
  const list = result[key]
  if (Array.isArray(list) && Array.isArray(values)) result[key] = list.filter((each) => !values.includes(each))
}

/** Sorts the items that `order` names in that order; the other items keep their positions. */
function reorderItems(
  list: readonly unknown[],
  order: readonly unknown[],
  key: string | undefined,
): readonly unknown[] {
  const idOf = (item: unknown): unknown => (key === undefined ? item : own(item, key))
  const ids = order.map(idOf)
  const rank = (item: unknown): number => ids.findIndex((id) => equalJson(id, idOf(item)))
  const named = list.filter((item) => rank(item) >= 0).sort((a, b) => rank(a) - rank(b))
  return list.map((item) => (rank(item) >= 0 ? named.shift() : item))
}

function withoutDirectives(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith('$')))
}
