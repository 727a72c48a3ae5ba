import type { Binding, Pod } from '@berth/types'
import type { Caller } from '../calls/caller.ts'
import type { BindOptions, BindOutcome } from './api-client.ts'
import { ApiError, isApiStatus, type CallSubject } from '../errors/api-error.ts'
import { TransportError } from '../errors/transport-error.ts'
import { objectPath, resourceRefs, type ObjectName } from '../api-conventions/resource-ref.ts'

/**
 * Binds `pod` to a node through the binding subresource, with the pod's uid as precondition. Where the answer is a
 * 409, a failure of the server or missing, the pod is read again, and what it says decides: a bind whose reply was
 * lost has often happened. That it has not happened yet proves nothing while the server may still be at it.
 *
 * @see kubernetes v1.36 pkg/registry/core/pod/storage/storage.go (assignPod)
 */
export async function bindPod(
  caller: Caller,
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
    await caller.json<unknown>({ priority: 'high', ...callOptions, subject, method: 'POST', path, body: binding })
    return { kind: 'bound' }
  } catch (error) {
    if (isApiStatus(error, 404)) return { kind: 'gone' }
    const isRefused = error instanceof ApiError && error.status < 500 && error.status !== 409
    const isWithheld = isUnsent(error) && error.code === 'BERTH_API_WITHHELD'
    if (isRefused || isWithheld) return { kind: 'conflict', message: messageOf(error) }
    return decideByReading(caller, pod, target, nodeName, error, callOptions)
  }
}

async function decideByReading(
  caller: Caller,
  pod: Pod,
  target: ObjectName,
  nodeName: string,
  cause: unknown,
  options: BindOptions,
): Promise<BindOutcome> {
  // To look is allowed to whom writing is not.
  const { mayStart: _, ...readOptions } = options
  const subject: CallSubject = { verb: 'get', resource: 'pods', object: `${target.namespace ?? ''}/${target.name}` }
  let current: Pod
  try {
    const path = objectPath(resourceRefs.pods, target)
    current = await caller.json<Pod>({ priority: 'high', ...readOptions, subject, method: 'GET', path })
  } catch (error) {
    return isApiStatus(error, 404) ? { kind: 'gone' } : { kind: 'unknown', cause }
  }
  if (pod.metadata.uid !== undefined && current.metadata.uid !== pod.metadata.uid) return { kind: 'gone' }
  if (current.spec.nodeName === nodeName) return { kind: 'bound' }
  if ((current.spec.nodeName ?? '') === '' && mayActLater(cause)) return { kind: 'unknown', cause }
  return { kind: 'conflict', message: messageOf(cause) }
}

/** Without an answer, or where the server gave up waiting for itself, what was asked for may still take effect. */
function mayActLater(cause: unknown): boolean {
  if (!(cause instanceof ApiError)) return !isUnsent(cause)
  return cause.status === 504 || (cause.status >= 500 && /time[d -]*out/i.test(cause.serverMessage))
}

function isUnsent(error: unknown): error is TransportError {
  return error instanceof TransportError && error.delivered === 'no'
}

function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.serverMessage
  return error instanceof Error ? error.message : String(error)
}
