import type { ApiResponse } from '@berth/types'
import { objectAt, valueAt, withField } from '../../schema/json/json-object.ts'
import { bodyObject } from '../content/read-body.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import { jsonResponse } from '../content/responses.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { requireObject } from '../verbs/read.ts'
import { withWriter, writeUpdate } from '../verbs/update.ts'

/** PUT namespaces/NAME/finalize: replaces `spec.finalizers`. Without finalizers, a terminating namespace is removed. */
export function finalizeNamespace(context: ServerContext, request: ResourceRequest): ApiResponse {
  const old = requireObject(context, request)
  const finalizers = valueAt(bodyObject(request), 'spec', 'finalizers')
  const hasFinalizers = Array.isArray(finalizers) && finalizers.length > 0
  const spec = withField(objectAt(old, 'spec'), 'finalizers', hasFinalizers ? finalizers : undefined)
  const next = withWriter(context, request, old, { ...old, spec })
  return jsonResponse(200, writeUpdate(context, request, { old, next }))
}
