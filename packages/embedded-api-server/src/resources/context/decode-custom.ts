import { pruneUnknownFields } from '../../schema/structural/prune-unknown-fields.ts'
import type { StructuralSchema } from '../../schema/structural/structural-schema.ts'
import type { ApiObject } from '../../schema/json/api-object.ts'
import { isObject, stringAt, type JsonObject } from '../../schema/json/json-object.ts'
import { apiVersionOf, type ResourceKind } from '../kinds/resource-kind.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { badRequest, invalid } from '../../schema/status/api-errors.ts'
import { objectMetaType } from '../../schema/built-in-types.ts'
import { decode } from '../../schema/decode.ts'

/** A custom resource from a request body. */
export interface DecodedCustomObject {
  readonly object: ApiObject
  readonly unknownFields: readonly string[]
}

/**
 * Decodes JSON as a custom resource: metadata by its type, everything else by the definition's schema.
 *
 * @throws BERTH_SIMULATOR_REFUSED (400, 422) if it is not an object of this kind.
 */
export function decodeCustom(kind: ResourceKind, schema: StructuralSchema, value: JsonObject): DecodedCustomObject {
  const apiVersion = apiVersionOf(kind)
  const given = { apiVersion: stringAt(value, 'apiVersion'), kind: stringAt(value, 'kind') }
  if (given.kind === '') {
    const text = JSON.stringify(value)
    const start = text.length > 30 ? `${text.slice(0, 30)} ...` : text
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind}): Object 'Kind' is missing in '${text}' (${start})`,
    )
  }
  if (given.apiVersion !== apiVersion) {
    throw badRequest(
      `the API version in the data (${given.apiVersion}) does not match the expected API version (${apiVersion})`,
    )
  }
  if (given.kind !== kind.kind) {
    throw invalid({ ...kind, kind: given.kind }, stringAt(value, 'metadata', 'name'), [
      fieldError.invalid('kind', given.kind, `must be ${kind.kind}`),
    ])
  }
  const { value: pruned, unknownFields } = pruneUnknownFields(value, schema)
  const metadata = decode(objectMetaType, isObject(value['metadata']) ? value['metadata'] : {})
  return {
    object: { ...pruned, apiVersion, kind: kind.kind, metadata: metadata.value },
    unknownFields: [...metadata.unknownFields.map((field) => `metadata.${field}`), ...unknownFields],
  }
}
