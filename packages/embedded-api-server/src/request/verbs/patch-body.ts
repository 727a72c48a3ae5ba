import { isObject, type JsonObject } from '../../schema/json/json-object.ts'
import { badRequest } from '../../schema/status/api-errors.ts'
import { StatusError } from '../../schema/status/status-error.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import { bodyJson } from '../content/read-body.ts'

/** Returns the JSON value in the body of a patch request. */
export function patchBody(request: ResourceRequest): unknown {
  try {
    return bodyJson(request)
  } catch (error) {
    throw error instanceof StatusError && error.status.code === 400
      ? badRequest(`error decoding patch: ${error.message}`)
      : error
  }
}

/** Returns the value as an object; refuses any other JSON value as a patch. */
export function requirePatchObject(value: unknown): JsonObject {
  if (isObject(value)) return value
  const type = Array.isArray(value) ? 'array' : typeof value
  throw badRequest(`error decoding patch: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`)
}
