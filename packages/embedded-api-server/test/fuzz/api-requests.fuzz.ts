import assert from 'node:assert/strict'
import { fakeClock, seededRandom } from '@berth/clock/testing'
import { BerthError, isRecord, type ApiRequest } from '@berth/types'
import { createApiServer } from '../../src/index.ts'

class RequestsRefusal extends BerthError {
  constructor() {
    super('read requests: not a list of requests', { code: 'BERTH_FUZZ_REQUESTS' })
  }
}

const MAX_REQUESTS = 6
const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies ApiRequest['method'][]

export const contract: string =
  'No request fails inside of the server, each response is JSON, and the server still answers afterwards.'
export const refusals: readonly unknown[] = [RequestsRefusal]
export const dictionary: readonly string[] = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  '/api/v1/nodes',
  '/api/v1/namespaces/default/pods',
  '/api/v1/nodes/a/status',
  '/status',
  '/binding',
  '/eviction',
  '?limit=1',
  '&continue=',
  '?labelSelector=',
  '?fieldSelector=',
  '?fieldManager=x',
  '&force=true',
  '?dryRun=All',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/json',
  'metadata',
  'name',
  'namespace',
  'generateName',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'resourceVersion',
  'uid',
  'spec',
  'status',
  'containers',
  'resources',
  'requests',
  'allocatable',
  'capacity',
  'apiVersion',
  'kind',
  'v1',
  'Pod',
  'Node',
  'op',
  'path',
  'value',
  'from',
  '$patch',
  'deletionTimestamp',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
]

/** One request of an input. */
interface Wanted {
  readonly method: ApiRequest['method']
  readonly path: string
  readonly type?: string
  readonly body?: unknown
}

export async function parse(input: Uint8Array): Promise<readonly Response[]> {
  const wanted = readRequests(Buffer.from(input).toString())
  const clock = fakeClock()
  const { handle } = createApiServer({ clock, random: seededRandom(1) })
  const send = async ({ method, path, type = 'application/json', body }: Wanted): Promise<Response> => {
    const stop = new AbortController()
    const content =
      body === undefined ? {} : { body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }
    const headers = { 'content-type': type, accept: 'application/json' }
    const response = await handle({ method, path, headers, signal: stop.signal, ...content })
    if (/[?&]watch=/.test(path)) {
      stop.abort()
      return { request: `${method} ${path}`, status: response.status, text: '{}' }
    }
    const chunks = await Array.fromAsync(response.body)
    return { request: `${method} ${path}`, status: response.status, text: Buffer.concat(chunks).toString() }
  }
  const responses: Response[] = []
  for (const request of wanted) responses.push(await send(request))
  responses.push(await send({ method: 'GET', path: '/api/v1/nodes' }))
  return responses
}

/** A response that was read to its end. */
interface Response {
  readonly request: string
  readonly status: number
  readonly text: string
}

export function verify(responses: readonly Response[]): void {
  for (const { request, status, text } of responses) {
    // Upstream returns a few mistakes of a request with status 500 as well, but without this reason.
    const isInternal = text.includes('"reason":"InternalError"')
    assert.ok(status >= 200 && status <= 504 && !isInternal, `${request} returned ${status}: ${text.slice(0, 500)}`)
    if (text.startsWith('{') || text.startsWith('[')) JSON.parse(text)
  }
  assert.equal(responses.at(-1)?.status, 200)
}

function readRequests(text: string): readonly Wanted[] {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    throw new RequestsRefusal()
  }
  if (!Array.isArray(given) || given.length > MAX_REQUESTS || !given.every(isRequest)) throw new RequestsRefusal()
  return given
}

function isRequest(value: unknown): value is Wanted {
  if (!isRecord(value)) return false
  const { method, path, type = '' } = value
  // The query of a log would follow it, and a path with other characters does not reach a handler.
  return (
    METHODS.some((known) => known === method) &&
    typeof path === 'string' &&
    /^\/[\x21-\x7e]*$/.test(path) &&
    typeof type === 'string'
  )
}
