import { errorText } from '@berth/text/error-text'
import { StatusError } from '../../schema/status/status-error.ts'
import { duplicateFields } from '../../schema/json/duplicate-fields.ts'
import type { JsonObject } from '../../schema/json/json-object.ts'
import { isObject } from '../../schema/json/json-object.ts'
import { MAX_BODY_BYTES, parseJson } from '../../schema/json/parse-json.ts'
import { badRequest, requestTooLarge, unsupportedMediaType } from '../../schema/status/api-errors.ts'
import { decodeProtobuf } from '../../schema/decode-protobuf.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import { parse as parseYaml } from 'yaml'

/** The parts of a request that reading its body needs. */
export type RequestWithBody = Pick<ResourceRequest, 'http'> & Partial<Pick<ResourceRequest, 'kind'>>

/** Returns the media type of the body, without parameters. Default: JSON. */
export function contentTypeOf(request: RequestWithBody): string {
  return (request.http.headers['content-type'] ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** Returns the text of the body; `''` when there is none. */
export function bodyText(request: RequestWithBody): string {
  const { body } = request.http
  if (body === undefined) return ''
  if (body.byteLength > MAX_BODY_BYTES) throw requestTooLarge(MAX_BODY_BYTES)
  return new TextDecoder().decode(body)
}

/** Returns the JSON value of the body. */
export function bodyJson(request: RequestWithBody): unknown {
  const text = bodyText(request)
  try {
    return parseJson(text)
  } catch (cause) {
    const why = errorText(cause)
    throw badRequest(isTruncated(text) ? 'unexpected end of JSON input' : why)
  }
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf'

function objectJson(request: RequestWithBody): unknown {
  try {
    return bodyJson(request)
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 400 || request.kind === undefined) throw error
    const why = `couldn't get version/kind; json parse error: ${error.message} (${bodyText(request) || '<empty>'})`
    throw badRequest(`the object provided is unrecognized (must be of type ${request.kind.kind}): ${why}`)
  }
}

// Whether the JSON text is valid except that it ends too early.
function isTruncated(text: string): boolean {
  let depth = 0
  for (const [token] of text.matchAll(/"(?:[^"\\\\]|\\\\.)*"|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth++
    if (token === '}' || token === ']') depth--
  }
  return depth > 0 || text.trim() === ''
}

/** Returns the object in the body of a create or update request: JSON, YAML or protobuf. */
export function bodyObject(request: RequestWithBody): JsonObject {
  const type = contentTypeOf(request)
  if (type === PROTOBUF) return protobufObject(request)
  if (type !== 'application/json' && type !== 'application/yaml' && type !== '') {
    throw unsupportedMediaType(['application/json', 'application/yaml', PROTOBUF])
  }
  const value = type === 'application/yaml' ? yamlValue(bodyText(request)) : objectJson(request)
  if (!isObject(value)) throw badRequest('the request body is not an object')
  return value
}

function protobufObject(request: RequestWithBody): JsonObject {
  const { body = new Uint8Array() } = request.http
  if (body.byteLength > MAX_BODY_BYTES) throw requestTooLarge(MAX_BODY_BYTES)
  try {
    return decodeProtobuf(body).value
  } catch (cause) {
    throw badRequest(errorText(cause))
  }
}

/** Returns the duplicate fields of a JSON body; none when the request ignores field validation. */
export function duplicateFieldsOf(request: ResourceRequest, value: JsonObject): readonly string[] {
  const isJson = contentTypeOf(request) === 'application/json'
  return isJson && request.query.get('fieldValidation') !== 'Ignore' ? duplicateFields(bodyText(request), value) : []
}

/** Returns the object in the body; an empty one without a body. */
export function optionalBodyObject(request: RequestWithBody): JsonObject {
  return (request.http.body?.byteLength ?? 0) === 0 ? {} : bodyObject(request)
}

/** Parses YAML to JSON values. */
export function yamlValue(text: string): unknown {
  try {
    return parseJson(JSON.stringify(parseYaml(text)))
  } catch (cause) {
    throw badRequest(`error parsing YAML: ${errorText(cause)}`)
  }
}
