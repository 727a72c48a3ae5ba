import type { Node } from '@berth/types'
import { kubeletAmounts, type KubeletAmounts } from './kubelet-amounts.ts'
import { observedAmounts } from './observed-amounts.ts'

/**
 * Reports whether the kubelet set the resource to 0 and no other writer changed it since. A kubelet does so when a device
 * plugin is gone, and leaves the name on the node. A running device plugin without devices looks the same.
 */
export function isStaleZero(node: Node, resourceName: string, kubelet: KubeletAmounts = kubeletAmounts(node)): boolean {
  const { capacity, allocatable = 0n } = observedAmounts(node, resourceName)
  return capacity === 0n && allocatable === 0n && kubelet.capacity.has(resourceName)
}
