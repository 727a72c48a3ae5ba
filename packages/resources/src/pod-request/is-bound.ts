import type { Pod } from '@berth/types'

/** Returns whether the pod is bound: its `spec.nodeName` names a node. */
export function isBound({ spec }: { readonly spec: Pick<Pod['spec'], 'nodeName'> }): boolean {
  return (spec.nodeName ?? '') !== ''
}
