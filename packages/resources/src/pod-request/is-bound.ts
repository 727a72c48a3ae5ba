import type { Pod } from '@berth/types'

/** Returns whether the pod has a node, which the kubelet of that node then runs it on. */
export function isBound({ spec }: { readonly spec: Pick<Pod['spec'], 'nodeName'> }): boolean {
  return (spec.nodeName ?? '') !== ''
}
