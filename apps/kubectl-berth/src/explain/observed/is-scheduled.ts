import type { Pod } from '@berth/types'

/** Returns whether the pod has a node, so that no scheduler acts on it any more. */
export function isScheduled({ spec }: Pod): boolean {
  return (spec.nodeName ?? '') !== ''
}
