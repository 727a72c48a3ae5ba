import type { Pod } from '@berth/types'
import { aggregateContainers } from './aggregate-containers.ts'
import { quantityMap } from '../quantity/quantity-map.ts'
import type { Quantity } from '../quantity/quantity.ts'
import { isPodLevelResourceName } from '../names/resource-names.ts'

/**
 * Returns the limits of a pod by resource name, from its spec (`PodLimits` of component-helpers, v1.36). Overhead is
 * added to limits that exist and are not 0. Empty for a pod without limits.
 *
 * @throws QuantityError when an amount is not a quantity.
 */
export function podLimits(pod: Pod): Map<string, Quantity> {
  const limits = aggregateContainers(pod, (container) => quantityMap(container.resources?.limits))
  for (const [name, quantity] of quantityMap(pod.spec.resources?.limits)) {
    if (isPodLevelResourceName(name)) limits.set(name, quantity)
  }
  for (const [name, quantity] of quantityMap(pod.spec.overhead)) {
    const limit = limits.get(name)
    if (limit !== undefined && !limit.isZero()) limits.set(name, limit.add(quantity))
  }
  return limits
}
