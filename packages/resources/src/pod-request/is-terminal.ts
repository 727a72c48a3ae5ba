import type { Pod } from '@berth/types'

/** Returns whether the pod is Succeeded or Failed. Such a pod no longer uses resources of its node. */
export function isTerminal(pod: Pod): boolean {
  const phase = pod.status?.phase
  return phase === 'Succeeded' || phase === 'Failed'
}
