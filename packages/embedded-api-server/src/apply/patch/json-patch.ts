import { applyPatch, type Operation } from 'rfc6902'
import { isObject, type JsonObject } from '../../schema/json/json-object.ts'
import { badRequest, unprocessablePatch } from '../../schema/status/api-errors.ts'

/** Maximum number of operations in a JSON patch, as upstream. */
const MAX_OPERATIONS = 10_000

/**
 * Applies a JSON patch (RFC 6902): all of its operations or none.
 *
 * @throws BERTH_SIMULATOR_REFUSED (422) when an operation does not apply, (400) when the patch is not a list.
 */
export function applyJsonPatch(target: JsonObject, patch: unknown): JsonObject {
  if (!Array.isArray(patch)) {
    throw badRequest('error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp')
  }
  if (patch.length > MAX_OPERATIONS) {
    throw badRequest(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`)
  }
  const isValid = patch.every((each) => isObject(each) && isPointer(each['path']) && isPointer(each['from'] ?? ''))
  if (!isValid) throw unprocessablePatch()
  // Not structuredClone: it preserves shared references, so that a patch of one place would change the other too.
  const result = JSON.parse(JSON.stringify(target)) as JsonObject
  const errors = applyPatch(result, patch as Operation[])
  if (errors.some((error) => error !== null)) throw unprocessablePatch()
  return result
}

/** Returns whether a value is a JSON pointer that leads to no prototype. */
function isPointer(value: unknown): boolean {
  return typeof value === 'string' && /^(?:\/|$)/.test(value) && !/\/__proto__(?:\/|$)/.test(value)
}
