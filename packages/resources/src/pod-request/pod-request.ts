import type { Pod } from '@berth/types'
import { wrapInt64 } from '../quantity/arithmetic/int64.ts'
import { hasPodLevelRequests, podRequestList, type RequestOptions } from './pod-request-list.ts'
import type { QuantityMap } from '../quantity/quantity-map.ts'
import { Quantity } from '../quantity/quantity.ts'
import { isScalarResourceName } from '../names/resource-names.ts'

/** What a scheduler accounts of a pod or node; int64 each. */
export interface PodResources {
  /** Thousandths of a CPU. */
  readonly milliCpu: bigint
  /** Bytes. */
  readonly memory: bigint
  /** Bytes. */
  readonly ephemeralStorage: bigint
  /** Extended and other scalar resources in whole units; a name asked for with 0 is there with 0n. */
  readonly scalar: ReadonlyMap<string, bigint>
}

/** {@link PodResources} of a pod on a node, with what scorers assume for containers that ask for nothing. */
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

/** The requests that {@link boundPodRequest} and the Fit scorer put in for absent ones. */
export const defaultRequests: QuantityMap = new Map([
  ['cpu', defaultCpu],
  ['memory', defaultMemory],
])

/** Sorts quantities into the scheduler's columns; names that it does not account are dropped. */
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
 * What a pod that waits for a node asks for: the numbers that NodeResourcesFit compares (v1.36). Its status
 * is not read; nothing is below 0.
 *
 * @throws QuantityError when an amount is no quantity.
 */
export function podRequest(pod: Pod): PodResources {
  return accountedResources(podRequestList(pod), (value) => (value < 0n ? 0n : value))
}

/** Whether NodeResourcesFit has nothing to compare but the number of pods: no amount, and no scalar name even with 0. */
export function isEmptyRequest(request: PodResources): boolean {
  return (
    request.milliCpu === 0n && request.memory === 0n && request.ephemeralStorage === 0n && request.scalar.size === 0
  )
}

const placedPodOptions: RequestOptions = { useStatus: true }

/**
 * What a pod takes on its node (`CalculateResource` of kube-scheduler, v1.36): while it is resized, the
 * largest of what it asks for, has and was promised.
 *
 * @throws QuantityError when an amount is no quantity.
 */
export function boundPodRequest(pod: Pod): BoundPodResources {
  const requests = podRequestList(pod, placedPodOptions)
  const absentRequests = defaultsForAbsentRequests(pod, requests)
  const assumed = absentRequests.size === 0 ? requests : podRequestList(pod, { ...placedPodOptions, absentRequests })
  return {
    ...accountedResources(requests, wrapInt64),
    nonZeroMilliCpu: assumed.get('cpu')?.milliValue() ?? 0n,
    nonZeroMemory: assumed.get('memory')?.value() ?? 0n,
  }
}

/** With pod-level requests, defaults stand in only for names that neither the pod nor a container asks for. */
function defaultsForAbsentRequests(pod: Pod, requests: QuantityMap): QuantityMap {
  if (!hasPodLevelRequests(pod)) return defaultRequests
  return new Map([...defaultRequests].filter(([name]) => !requests.has(name)))
}
