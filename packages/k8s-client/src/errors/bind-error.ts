import { BerthError, type Pod } from '@berth/types'

/** A pod was not bound. */
export class BindError extends BerthError {}

/** Creates the error for a pod that was not bound. */
export function bindError(pod: Pod, nodeName: string, reason: string): BindError {
  const { namespace = 'default', name = '' } = pod.metadata
  return new BindError(`bind pod ${namespace}/${name} to node ${nodeName}: ${reason}`, {
    code: 'BERTH_API_NOT_BOUND',
    retryable: true,
  })
}
