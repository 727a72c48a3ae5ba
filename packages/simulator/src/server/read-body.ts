import type { JsonObject } from '../json/json-object.ts'
import { isObject } from '../json/json-object.ts'
import { MAX_BODY_BYTES, parseJson } from '../json/parse-json.ts'
import { badRequest, tooLarge, unsupportedMediaType } from '../refusal/refusals.ts'
import type { ResourceRequest } from './resource-request.ts'
import { parse as parseYaml } from 'yaml'

/** The media type of the request's body, without parameters; JSON when it names none. */
export function contentTypeOf(request: ResourceRequest): string {
  return (request.http.headers['content-type'] ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** The text of the body; `''` when there is none. */
export function bodyText(request: ResourceRequest): string {
  const { body } = request.http
  if (body === undefined) return ''
  if (body.byteLength > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES)
  return new TextDecoder().decode(body)
}

/** The JSON value of the body. */
export function bodyJson(request: ResourceRequest): unknown {
  const text = bodyText(request)
  try {
    return parseJson(text)
  } catch (cause) {
    throw badRequest(
      `couldn't get version/kind; json parse error: ${cause instanceof Error ? cause.message : String(cause)}`,
    )
  }
}

/** The object in the body of a create or an update: JSON or YAML. */
export function bodyObject(request: ResourceRequest): JsonObject {
  const type = contentTypeOf(request)
  if (type !== 'application/json' && type !== 'application/yaml' && type !== '') {
    throw unsupportedMediaType(['application/json', 'application/yaml'])
  }
  const value = type === 'application/yaml' ? yamlValue(bodyText(request)) : bodyJson(request)
  if (!isObject(value)) throw badRequest('the body of the request is no object')
  return value
}

/** The object in the body if there is one. */
export function optionalBodyObject(request: ResourceRequest): JsonObject {
  return (request.http.body?.byteLength ?? 0) === 0 ? {} : bodyObject(request)
}

/** Reads YAML into JSON values. */
export function yamlValue(text: string): unknown {
  try {
    return parseJson(JSON.stringify(parseYaml(text)))
  } catch (cause) {
    throw badRequest(`error parsing YAML: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}
