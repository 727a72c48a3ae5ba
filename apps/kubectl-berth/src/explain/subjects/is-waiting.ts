import { isTerminal } from '@berth/resources'
import type { Pod } from '@berth/types'

/** Returns whether a pod is pending: it has not ended, and its containers have not started. */
export function isWaiting(pod: Pod): boolean {
  return !isTerminal(pod) && (pod.status?.phase ?? 'Pending') === 'Pending'
}
