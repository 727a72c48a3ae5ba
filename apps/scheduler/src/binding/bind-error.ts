import type { Pod } from '@berth/types'
import { BindError } from '../errors.ts'
import { podName } from '../queue/queued-pod.ts'

/** Creates the error for a pod that was not bound. */
export function bindError(pod: Pod, nodeName: string, reason: string): BindError {
  return new BindError(`bind pod ${podName(pod)} to node ${nodeName}: ${reason}`, {
    code: 'BERTH_SCHEDULER_BIND',
    retryable: true,
  })
}
