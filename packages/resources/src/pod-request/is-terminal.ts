import type { Pod } from '@berth/types'

/** Whether the pod ended: its phase is Succeeded or Failed, so it takes nothing of its node any more. */
export function isTerminal(pod: Pod): boolean {
  const phase = pod.status?.phase
  return phase === 'Succeeded' || phase === 'Failed'
}
