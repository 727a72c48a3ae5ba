import type { Binding, Pod } from '@berth/types'
import type { RestClient } from '../calls/rest-client.ts'
import type { BindOptions, BindOutcome } from './api-client.ts'
import { ApiError, type CallSubject } from '../errors/api-error.ts'
import { TransportError } from '../errors/transport-error.ts'
import { objectPath, resourceRefs } from '../api-conventions/resource-ref.ts'

/**
 * Calls the binding subresource once, with the pod's uid as precondition, and returns the outcome of the call. It does
 * not read the pod. If the outcome is not `bound`, the caller must read it, because a bind whose response was lost has
 * often taken effect.
 *
 * @see kubernetes v1.36 pkg/registry/core/pod/storage/storage.go (assignPod)
 */
export async function bindPod(
  rest: RestClient,
  pod: Pod,
  nodeName: string,
  options: BindOptions = {},
): Promise<BindOutcome> {
  const { annotations, ...callOptions } = options
  const { uid, namespace = 'default', name = '' } = pod.metadata
  const target = { namespace, name }
  const binding: Binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: {
      ...target,
      ...(uid === undefined ? {} : { uid }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    target: { kind: 'Node', name: nodeName },
  }
  const subject: CallSubject = {
    verb: 'create',
    resource: 'pods/binding',
    object: `${target.namespace}/${target.name}`,
  }
  try {
    const path = objectPath(resourceRefs.pods, target, 'binding')
    await rest.json<unknown>({ priority: 'high', ...callOptions, subject, method: 'POST', path, body: binding })
    return { kind: 'bound' }
  } catch (error) {
    return outcomeOf(error)
  }
}

function outcomeOf(error: unknown): BindOutcome {
  if (error instanceof TransportError && error.delivered === 'no') return { kind: 'unsent', cause: error }
  if (error instanceof ApiError && !isServerTimeout(error))
    return { kind: 'rejected', status: error.status, message: error.serverMessage }
  return { kind: 'unknown', cause: error }
}

/**
 * Returns whether the server timed out internally, for example while it waited for etcd. The write may still take
 * effect.
 */
function isServerTimeout({ status, serverMessage }: ApiError): boolean {
  return status === 504 || (status >= 500 && /time[d -]*out/i.test(serverMessage))
}
