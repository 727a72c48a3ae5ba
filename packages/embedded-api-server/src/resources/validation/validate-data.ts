import type { ApiObject } from '../../schema/json/api-object.ts'
import { equalJson, objectAt, own, type JsonObject } from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { configKey } from '../../schema/name-rules.ts'

/** Bytes that all values together may have. */
const MOST_BYTES = 1024 * 1024

function bytesIn(values: JsonObject, encoding: 'base64' | 'utf8'): number {
  return Object.values(values).reduce<number>((sum, value) => sum + Buffer.byteLength(String(value), encoding), 0)
}

/**
 * What is wrong with a ConfigMap or a Secret: its keys, its size, and changes of what was declared immutable.
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
  if (bytesIn(data, isSecret ? 'base64' : 'utf8') + bytesIn(binary, 'base64') > MOST_BYTES) {
    causes.push(fieldError.tooLong(isSecret ? 'data' : '[]', MOST_BYTES))
  }
  if (old === undefined) return causes
  if (!equalJson(own(object, 'type'), own(old, 'type'))) {
    causes.push(fieldError.invalid('type', own(object, 'type'), 'field is immutable'))
  }
  if (own(old, 'immutable') !== true) return causes
  const fixed = (field: string): StatusCause =>
    fieldError.forbidden(field, 'field is immutable when `immutable` is set')
  if (own(object, 'immutable') !== true) causes.push(fixed('immutable'))
  for (const field of ['data', 'binaryData']) {
    if (!equalJson(objectAt(object, field), objectAt(old, field))) causes.push(fixed(field))
  }
  return causes
}
