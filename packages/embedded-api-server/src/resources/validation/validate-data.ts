import type { ApiObject } from '../../schema/json/api-object.ts'
import { equalJson, objectAt, own, type JsonObject } from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { configKey } from '../../schema/name-rules.ts'

/** Maximum size of all values together. */
const MAX_DATA_BYTES = 1024 * 1024

function sizeOf(values: JsonObject, encoding: 'base64' | 'utf8'): number {
  return Object.values(values).reduce<number>((sum, value) => sum + Buffer.byteLength(String(value), encoding), 0)
}

/**
 * Returns the errors of a ConfigMap or a Secret: invalid keys, too much data, changes of immutable fields.
 *
 * @see kubernetes pkg/apis/core/validation ValidateConfigMap, ValidateSecret (v1.36)
 */
export function validateData(object: ApiObject, old: ApiObject | undefined): readonly StatusCause[] {
  const data = objectAt(object, 'data')
  const binary = objectAt(object, 'binaryData')
  const causes: StatusCause[] = []
  for (const key of Object.keys(data)) {
    causes.push(...configKey(key).map((why) => fieldError.invalid(`data[${key}]`, key, why)))
    if (Object.hasOwn(binary, key)) {
      causes.push(fieldError.invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'))
    }
  }
  for (const key of Object.keys(binary)) {
    causes.push(...configKey(key).map((why) => fieldError.invalid(`binaryData[${key}]`, key, why)))
  }
  const isSecret = object.kind === 'Secret'
  if (sizeOf(data, isSecret ? 'base64' : 'utf8') + sizeOf(binary, 'base64') > MAX_DATA_BYTES) {
    causes.push(fieldError.tooLong(isSecret ? 'data' : '[]', MAX_DATA_BYTES))
  }
  if (old === undefined) return causes
  if (!equalJson(own(object, 'type'), own(old, 'type'))) {
    causes.push(fieldError.invalid('type', own(object, 'type'), 'field is immutable'))
  }
  if (own(old, 'immutable') !== true) return causes
  const immutable = (field: string): StatusCause =>
    fieldError.forbidden(field, 'field is immutable when `immutable` is set')
  if (own(object, 'immutable') !== true) causes.push(immutable('immutable'))
  for (const field of ['data', 'binaryData']) {
    if (!equalJson(objectAt(object, field), objectAt(old, field))) causes.push(immutable(field))
  }
  return causes
}
