import type { Pod, ResourceList, ResourceRequirements } from '@berth/types'
import { aggregateContainers } from './aggregate-containers.ts'
import { quantityMap, type QuantityMap } from '../quantity/quantity-map.ts'
import { quantityText } from '../quantity/quantity-text.ts'
import { resourceList } from '../quantity/resource-list.ts'
import { isHugePageResourceName, isOvercommitAllowed, isPodLevelResourceName } from '../names/resource-names.ts'

function isEmpty(list: ResourceList | undefined): boolean {
  return Object.keys(list ?? {}).length === 0
}

/** Adds the amounts that the list lacks and whose name passes `isAdded`. */
function addMissing(
  list: ResourceList | undefined,
  amounts: Iterable<readonly [string, string | number]>,
  isAdded: (name: string) => boolean,
): ResourceList | undefined {
  const present = list ?? {}
  const missing = [...amounts].filter(([name]) => isAdded(name) && !Object.hasOwn(present, name))
  return missing.length === 0 ? list : resourceList([...Object.entries(present), ...missing])
}

function* formatQuantities(quantities: QuantityMap): Generator<readonly [string, string]> {
  for (const [name, quantity] of quantities) yield [name, quantityText(quantity)]
}

/**
 * Returns the pod-level resources with the defaults of the API server (v1.36): limits of huge pages from the
 * containers' limits; then, if there are limits, requests from the containers' requests or else from the limits.
 * Returns undefined for a pod without pod-level resources.
 *
 * @param pod - A pod whose containers have their default requests already.
 */
export function defaultPodLevelResources(pod: Pod): ResourceRequirements | undefined {
  const { resources } = pod.spec
  if (resources == null) return undefined
  if (isEmpty(resources.limits) && isEmpty(resources.requests)) return resources

  const containerLimits = aggregateContainers(pod, (container) => quantityMap(container.resources?.limits))
  const requested = resources.requests ?? {}
  const limits = addMissing(
    resources.limits,
    formatQuantities(containerLimits),
    (name) => isHugePageResourceName(name) && !Object.hasOwn(requested, name),
  )
  if (limits === undefined || isEmpty(limits)) return resources

  const containerRequests = aggregateContainers(pod, (container) => quantityMap(container.resources?.requests))
  const fromContainers = addMissing(
    resources.requests,
    formatQuantities(containerRequests),
    (name) => isPodLevelResourceName(name) && isOvercommitAllowed(name),
  )
  const requests = addMissing(fromContainers, Object.entries(limits), isPodLevelResourceName)
  return { ...resources, limits, ...(requests && { requests }) }
}
