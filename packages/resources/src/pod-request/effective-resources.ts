import type { Pod, ResourceList } from '@berth/types'
import { quantityMap, raiseQuantities } from '../quantity/quantity-map.ts'
import type { Quantity } from '../quantity/quantity.ts'

/** The resources of a container or pod during an in-place resize. */
export interface ResizeState {
  /** Requested by the spec. */
  readonly spec: ResourceList | undefined
  /** Applied by the kubelet. */
  readonly actuated: ResourceList | undefined
  /** Admitted by the kubelet. */
  readonly allocated?: ResourceList | undefined
}

/** Returns whether the kubelet refused the resize for good: the first PodResizePending condition says Infeasible. */
export function isResizeInfeasible(pod: Pod): boolean {
  return pod.status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible'
}

/**
 * Returns the requests or limits that count during a resize: per resource the largest of the three, without the spec
 * when the resize is infeasible (`determineEffectiveRequests`, `determineEffectiveLimits`, v1.36).
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
