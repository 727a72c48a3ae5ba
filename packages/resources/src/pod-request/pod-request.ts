import type { Pod } from '@berth/types'
import { wrapInt64 } from '../quantity/arithmetic/int64.ts'
import { hasPodLevelRequests, podRequestList, type RequestOptions } from './pod-request-list.ts'
import type { QuantityMap } from '../quantity/quantity-map.ts'
import { Quantity } from '../quantity/quantity.ts'
import { isScalarResourceName } from '../names/resource-names.ts'

/** The amounts that a scheduler accounts for a pod or node; each is an int64. */
export interface PodResources {
  /** Thousandths of a CPU. */
  readonly milliCpu: bigint
  /** Bytes. */
  readonly memory: bigint
  /** Bytes. */
  readonly ephemeralStorage: bigint
  /** Extended and other scalar resources in whole units. A name with an explicit request of 0 is in the map with 0n. */
  readonly scalar: ReadonlyMap<string, bigint>
}

/** The {@link PodResources} of a pod on a node, and its cpu and memory with the scoring defaults for absent requests. */
export interface BoundPodResources extends PodResources {
  readonly nonZeroMilliCpu: bigint
  readonly nonZeroMemory: bigint
}

/** CPU that scorers assume for a container without a CPU request, in milli (v1.36). */
export const DEFAULT_MILLI_CPU_REQUEST: bigint = 100n
/** Memory that scorers assume for a container without a memory request, in bytes (v1.36). */
export const DEFAULT_MEMORY_REQUEST: bigint = 209715200n

const defaultCpu = new Quantity({
  unscaled: DEFAULT_MILLI_CPU_REQUEST,
  exponent: -3,
  form: 'int64',
  format: 'DecimalSI',
})
const defaultMemory = new Quantity({
  unscaled: DEFAULT_MEMORY_REQUEST,
  exponent: 0,
  form: 'int64',
  format: 'DecimalSI',
})

/** The requests that {@link boundPodRequest} and the Fit scorer use in place of absent ones. */
export const scoringDefaultRequests: QuantityMap = new Map([
  ['cpu', defaultCpu],
  ['memory', defaultMemory],
])

/** Converts quantities to the amounts that a scheduler accounts, and drops resources that it does not account. */
function accountedResources(requests: QuantityMap, amountOf: (value: bigint) => bigint): PodResources {
  let milliCpu = 0n
  let memory = 0n
  let ephemeralStorage = 0n
  const scalar = new Map<string, bigint>()
  for (const [name, quantity] of requests) {
    if (name === 'cpu') milliCpu = amountOf(quantity.milliValue())
    else if (name === 'memory') memory = amountOf(quantity.value())
    else if (name === 'ephemeral-storage') ephemeralStorage = amountOf(quantity.value())
    else if (isScalarResourceName(name)) scalar.set(name, amountOf(quantity.value()))
  }
  return { milliCpu, memory, ephemeralStorage, scalar }
}

/**
 * Returns the request of a pending pod: the amounts that NodeResourcesFit compares (v1.36). The status is not read. A
 * negative amount counts as 0.
 *
 * @throws QuantityError when an amount is not a quantity.
 */
export function podRequest(pod: Pod): PodResources {
  return accountedResources(podRequestList(pod), (value) => (value < 0n ? 0n : value))
}

/** Returns whether every amount is 0 and no scalar name is present: NodeResourcesFit then compares only pod counts. */
export function isEmptyRequest(request: PodResources): boolean {
  return (
    request.milliCpu === 0n && request.memory === 0n && request.ephemeralStorage === 0n && request.scalar.size === 0
  )
}

const placedPodOptions: RequestOptions = { useStatus: true }

/**
 * Returns the request of a pod on a node (`CalculateResource` of kube-scheduler, v1.36). During a resize, it is the
 * largest of the requested, the actual and the allocated amount.
 *
 * @throws QuantityError when an amount is not a quantity.
 */
export function boundPodRequest(pod: Pod): BoundPodResources {
  const requests = podRequestList(pod, placedPodOptions)
  const absentRequests = isComplete(pod) ? noRequests : defaultsForAbsentRequests(pod, requests)
  const withDefaults =
    absentRequests.size === 0 ? requests : podRequestList(pod, { ...placedPodOptions, absentRequests })
  return {
    ...accountedResources(requests, wrapInt64),
    nonZeroMilliCpu: withDefaults.get('cpu')?.milliValue() ?? 0n,
    nonZeroMemory: withDefaults.get('memory')?.value() ?? 0n,
  }
}

const noRequests: QuantityMap = new Map()

/** Returns whether every container requests cpu and memory, so that none gets a default. Actual resources may lack a name. */
function isComplete({ spec, status }: Pod): boolean {
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  return (
    statuses.every(({ resources }) => resources == null) &&
    containers.every(({ resources }) => resources?.requests?.['cpu'] != null && resources.requests['memory'] != null)
  )
}

/**
 * Returns the scoring defaults for the pod. With pod-level requests, only names that neither the pod nor a container
 * requests get a default.
 */
function defaultsForAbsentRequests(pod: Pod, requests: QuantityMap): QuantityMap {
  if (!hasPodLevelRequests(pod)) return scoringDefaultRequests
  return new Map([...scoringDefaultRequests].filter(([name]) => !requests.has(name)))
}
