import { isObject, own } from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import type { StructuralSchema } from '../../schema/structural/structural-schema.ts'

/**
 * Returns an error for each duplicate in lists of type `set` or `map`. Of several equal items, upstream reports only the
 * second.
 *
 * @see k8s.io/apiextensions-apiserver pkg/apiserver/schema/listtype (v0.36)
 */
export function validateListUniqueness(value: unknown, schema: StructuralSchema, path = ''): readonly StatusCause[] {
  if (Array.isArray(value)) {
    return [
      ...duplicateCauses(value, schema, path),
      ...value.flatMap((item, i) =>
        schema.items === undefined ? [] : validateListUniqueness(item, schema.items, `${path}[${i}]`),
      ),
    ]
  }
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = schema.properties.get(key)
    if (known !== undefined) return validateListUniqueness(inner, known, path === '' ? key : `${path}.${key}`)
    return schema.additionalProperties === undefined
      ? []
      : validateListUniqueness(inner, schema.additionalProperties, `${path}[${key}]`)
  })
}

function duplicateCauses(
  list: readonly unknown[],
  { listType, listMapKeys }: StructuralSchema,
  path: string,
): readonly StatusCause[] {
  if (listType !== 'set' && listType !== 'map') return []
  if (listType === 'map') {
    const wrong = list.findIndex((item) => item !== null && !isObject(item))
    if (wrong >= 0) {
      return [fieldError.invalid(`${path}[${wrong}]`, list[wrong], 'must be an object for an array of list-type map')]
    }
  }
  const identityOf = (item: unknown): unknown =>
    listType === 'set'
      ? item
      : Object.fromEntries(
          listMapKeys.flatMap((key) => (own(item, key) === undefined ? [] : [[key, own(item, key)] as const])),
        )
  const counts = new Map<string, number>()
  return list.flatMap((item, i) => {
    const identity = identityOf(item)
    const text = JSON.stringify(identity)
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    return count === 2 ? [fieldError.duplicate(`${path}[${i}]`, identity)] : []
  })
}
