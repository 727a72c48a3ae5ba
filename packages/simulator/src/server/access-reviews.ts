import type { ApiRequest, ApiResponse } from '@berth/types'
import { objectAt, type JsonObject } from '../json/json-object.ts'
import { methodNotAllowed } from '../refusal/refusals.ts'
import { bodyObject } from './read-body.ts'
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
  const review = bodyObject({ http })
  return { ...review, metadata: objectAt(review, 'metadata') }
}
