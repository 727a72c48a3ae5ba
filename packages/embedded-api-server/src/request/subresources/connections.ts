import type { ApiResponse } from '@berth/types'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { notImplemented } from '../../schema/status/api-errors.ts'
import { requireObject } from '../verbs/read.ts'

/** The missing part of a simulated pod for each subresource that needs a running container, by storage and subresource. */
const missingTargets: ReadonlyMap<string, string> = new Map([
  ['/pods/attach', 'no container to attach to'],
  ['/pods/exec', 'no container to run a command in'],
  ['/pods/log', 'no log'],
  ['/pods/portforward', 'no port to forward to'],
  ['/pods/proxy', 'no port to connect to'],
])

/** Returns whether a subresource needs a running container, as `pods/exec` and `pods/log` do. */
export function isConnection({ kind, subresource }: ResourceRequest): boolean {
  return missingFor(kind.storage, subresource) !== undefined
}

/**
 * Refuses a connection to a container, such as `pods/exec`, with 501: no containers run. A pod that does not exist is a 404,
 * as upstream.
 */
export function refuseConnection(context: ServerContext, request: ResourceRequest): ApiResponse {
  const { kind, subresource, namespace, name } = request
  requireObject(context, request)
  const missing = missingFor(kind.storage, subresource) ?? 'nothing to connect to'
  throw notImplemented(
    { ...kind, plural: `${kind.plural}/${subresource}` },
    name,
    `pod ${namespace}/${name} is simulated and runs nothing: it has ${missing}`,
  )
}

/** Returns what the container lacks; undefined for other subresources. A path may follow, as in `proxy/metrics`. */
function missingFor(storage: string, subresource: string): string | undefined {
  return missingTargets.get(`${storage}/${subresource.split('/', 1)[0]}`)
}
