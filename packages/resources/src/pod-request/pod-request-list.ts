import type { Container, ContainerStatus, Pod } from '@berth/types'
import { aggregateContainers, isSidecar } from './aggregate-containers.ts'
import { containerStatuses } from './container-statuses.ts'
import { effectiveResources } from './effective-resources.ts'
import { addQuantities, quantityMap, type QuantityMap } from '../quantity/quantity-map.ts'
import { zeroQuantity } from '../quantity/quantity-json.ts'
import type { Quantity } from '../quantity/quantity.ts'
import { isPodLevelResourceName } from '../names/resource-names.ts'

/** Options of {@link podRequestList}. */
export interface RequestOptions {
  /** Reads the status fields of in-place resize, for pods on nodes. Default: false. */
  readonly useStatus?: boolean
  /** Ignores pod-level requests. Default: false. */
  readonly skipPodLevel?: boolean
  /** Requests for each container that has none of that name; an explicit 0 stays 0. */
  readonly absentRequests?: QuantityMap
}

/** Returns whether the pod has a pod-level request with an allowed name (`IsPodLevelRequestsSet`, v1.36). */
export function hasPodLevelRequests(pod: Pod): boolean {
  const requests = pod.spec.resources?.requests
  return requests != null && Object.keys(requests).some(isPodLevelResourceName)
}

/**
 * Returns the requests of a pod by resource name, with overhead and pod-level requests (`PodRequests` of
 * component-helpers, v1.36). Includes names that the scheduler does not account. Limits are not read, because the API
 * server has copied them into absent requests (see `applyApiServerDefaults`). The pod is not changed. In upstream, the
 * sum may share a number in decimal form with the pod, and adding overhead then changes the pod too.
 *
 * @throws QuantityError when an amount is not a quantity.
 */
export function podRequestList(pod: Pod, options: RequestOptions = {}): Map<string, Quantity> {
  const requests = aggregateContainers(pod, containerRequestReader(pod, options))
  if (options.skipPodLevel !== true && hasPodLevelRequests(pod)) overrideByPodLevel(requests, pod, options)
  if (pod.spec.overhead !== undefined) addQuantities(requests, quantityMap(pod.spec.overhead))
  return requests
}

/** Returns a function that reads the requests of one of the pod's containers into a new map. */
function containerRequestReader(
  pod: Pod,
  { useStatus = false, absentRequests }: RequestOptions,
): (container: Container, isInit: boolean) => Map<string, Quantity> {
  const statuses: ReadonlyMap<string, ContainerStatus> | undefined = useStatus ? containerStatuses(pod) : undefined
  return (container, isInit) => {
    const status = isInit && !isSidecar(container) ? undefined : statuses?.get(container.name)
    const spec = container.resources?.requests
    const requests =
      status?.resources == null
        ? quantityMap(spec)
        : effectiveResources(pod, {
            spec,
            actuated: status.resources.requests,
            allocated: status.allocatedResources,
          })
    if (absentRequests !== undefined) addMissing(requests, absentRequests)
    return requests
  }
}

function addMissing(requests: Map<string, Quantity>, absentRequests: QuantityMap): void {
  for (const [name, quantity] of absentRequests) {
    if (!requests.has(name)) requests.set(name, quantity)
  }
}

function overrideByPodLevel(requests: Map<string, Quantity>, pod: Pod, { useStatus = false }: RequestOptions): void {
  const spec = pod.spec.resources?.requests
  const status = useStatus ? pod.status?.resources : undefined
  const effective =
    status == null
      ? quantityMap(spec)
      : effectiveResources(pod, { spec, actuated: status.requests, allocated: pod.status?.allocatedResources })
  for (const name of Object.keys(spec ?? {})) {
    // During an infeasible resize, the status may lack a name that the spec has; it then counts as 0.
    if (isPodLevelResourceName(name)) requests.set(name, effective.get(name) ?? zeroQuantity)
  }
}
