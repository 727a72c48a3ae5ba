import { boundPodRequest } from '@berth/resources'
import type { Pod } from '@berth/types'
import { type Amount, toAmount } from '../resources/amount.ts'
import { EPHEMERAL_STORAGE, type ResourceNames } from '../resources/resource-names.ts'

/**
 * The request of one pod in compact form: cpu, memory and ephemeral-storage at the index of their resource id, then cpu
 * and memory with the scoring defaults, then pairs of (resource id, amount) for the scalar resources.
 */
export type EncodedRequest = readonly Amount[]

/** Index of the cpu request with the scoring default. */
export const NON_ZERO_CPU_INDEX = 3
/** Index of the memory request with the scoring default. */
export const NON_ZERO_MEMORY_INDEX = 4
/** Index of the first pair of (resource id, amount). */
export const FIRST_SCALAR_INDEX = 5

/** Encodes the pod's request and retains each scalar resource's name once, until {@link releaseRequest}. */
export function encodeRequest(pod: Pod, names: ResourceNames): EncodedRequest {
  const request = boundPodRequest(pod)
  const encoded: Amount[] = [
    toAmount(request.milliCpu),
    toAmount(request.memory),
    toAmount(request.ephemeralStorage),
    toAmount(request.nonZeroMilliCpu),
    toAmount(request.nonZeroMemory),
  ]
  let hasScalars = false
  for (const [name, amount] of request.scalar) {
    if (amount === 0n) continue
    encoded.push(names.acquire(name), toAmount(amount))
    hasScalars = true
  }
  // An array that grew by push keeps spare capacity. The copy has none, which counts for many thousands of pods.
  return hasScalars ? encoded.slice() : encoded
}

/** Releases the resource names that {@link encodeRequest} retained. */
export function releaseRequest(request: EncodedRequest, names: ResourceNames): void {
  for (let i = FIRST_SCALAR_INDEX; i < request.length; i += 2) names.release(Number(request[i]))
}

/** Returns the requested amount of one resource, or 0. */
export function requestedAmount(request: EncodedRequest, resourceId: number): Amount {
  if (resourceId <= EPHEMERAL_STORAGE) return request[resourceId] ?? 0
  for (let i = FIRST_SCALAR_INDEX; i < request.length; i += 2) if (request[i] === resourceId) return request[i + 1] ?? 0
  return 0
}
