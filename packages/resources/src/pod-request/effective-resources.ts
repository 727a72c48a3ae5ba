import type { Pod, ResourceList } from '@berth/types'
import { quantityMap, raiseQuantities } from '../quantity/quantity-map.ts'
import type { Quantity } from '../quantity/quantity.ts'

/** What the spec asks for, what the kubelet applied, and what it promised. */
export interface ResizeState {
  readonly spec: ResourceList | undefined
  readonly actuated: ResourceList | undefined
  readonly allocated?: ResourceList | undefined
}

/** Whether the kubelet refused the pod's resize for good: its first PodResizePending condition says Infeasible. */
export function isResizeInfeasible(pod: Pod): boolean {
  return pod.status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible'
}

/**
 * Requests or limits that count while a pod is resized: per resource the largest of the three, without the
 * spec when the resize is infeasible (`determineEffectiveRequests`, `determineEffectiveLimits`, v1.36).
 */
export function effectiveResources(pod: Pod, { spec, actuated, allocated }: ResizeState): Map<string, Quantity> {
  if (isResizeInfeasible(pod)) {
    const effective = quantityMap(actuated)
    raiseQuantities(effective, quantityMap(allocated))
    return effective
  }
  const effective = quantityMap(spec)
  raiseQuantities(effective, quantityMap(actuated))
  raiseQuantities(effective, quantityMap(allocated))
  return effective
}
