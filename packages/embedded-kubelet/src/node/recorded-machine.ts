import { isExtendedResourceName } from '@berth/resources'
import type { Node } from '@berth/types'
import type { KubeletOptions } from '../kubelet-options.ts'
import { quantitiesOf, subtract } from './node-status.ts'

/**
 * Returns the options of a kubelet that takes over a recorded node: its labels, its native resources, and the part of
 * them that is not allocatable. Its extended resources stay in its status.
 */
export function recordedMachine({
  metadata,
  status,
}: Node): Pick<KubeletOptions, 'nodeName' | 'labels' | 'capacity' | 'reserved'> {
  const capacity = quantitiesOf(status?.capacity)
  const allocatable = quantitiesOf(status?.allocatable)
  const native = [...capacity].filter(([name]) => !isExtendedResourceName(name))
  return {
    nodeName: metadata.name ?? '',
    labels: metadata.labels ?? {},
    capacity: Object.fromEntries(native),
    reserved: Object.fromEntries(
      [...capacity].map(([name, all]) => [name, subtract(all, allocatable.get(name) ?? all)]),
    ),
  }
}
