import type { ApiRequest, ApiResponse } from '@berth/types'
import { isObject, objectAt, type JsonObject } from '../json/json-object.ts'
import { parseJson } from '../json/parse-json.ts'
import { badRequest, methodNotAllowed } from '../refusal/refusals.ts'
import { jsonResponse } from './respond.ts'

const PREFIX = '/apis/authorization.k8s.io/v1/'
const EVERYTHING = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]

/** Answers questions about permissions: whoever got this far may do everything. Undefined: no such path. */
export function reviewAccess(http: ApiRequest, pathname: string): ApiResponse | undefined {
  if (!pathname.startsWith(PREFIX)) return undefined
  const plural = pathname.slice(PREFIX.length)
  const answers: ReadonlyMap<string, object> = new Map([
    ['selfsubjectaccessreviews', { allowed: true }],
    ['subjectaccessreviews', { allowed: true }],
    [
      'selfsubjectrulesreviews',
      { resourceRules: EVERYTHING, nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }], incomplete: false },
    ],
  ])
  const status = answers.get(plural)
  if (status === undefined) return undefined
  if (http.method !== 'POST') throw methodNotAllowed()
  return jsonResponse(201, { ...reviewOf(http), status })
}

function reviewOf(http: ApiRequest): JsonObject {
  let review: unknown
  try {
    review = parseJson(new TextDecoder().decode(http.body))
  } catch {
    throw badRequest('the body of the request is no JSON')
  }
  if (!isObject(review)) throw badRequest('the body of the request is no object')
  return { ...review, metadata: objectAt(review, 'metadata') }
}
