import type { Pod } from '@berth/types'
import { podRequestList } from './pod-request-list.ts'
import { defaultRequests } from './pod-request.ts'
import type { QuantityMap } from '../quantity/quantity-map.ts'

/** Amount by resource name in whole units, cpu in milli; an absent name is 0. */
export type ScoreRequests = ReadonlyMap<string, bigint>

function toAmounts(requests: QuantityMap): ScoreRequests {
  const values = new Map<string, bigint>()
  for (const [name, quantity] of requests) {
    values.set(name, name === 'cpu' ? quantity.milliValue() : quantity.value())
  }
  return values
}

/**
 * The candidate's request as the scorer of NodeResourcesFit takes it (v1.36): with assumed cpu and memory for
 * containers that ask for none, without pod-level requests and without status.
 *
 * @throws QuantityError when an amount is no quantity.
 */
export function fitScoreRequests(pod: Pod): ScoreRequests {
  return toAmounts(podRequestList(pod, { skipPodLevel: true, absentRequests: defaultRequests }))
}

/**
 * The candidate's request as NodeResourcesBalancedAllocation takes it (v1.36): real requests, pod-level ones
 * and status included. When every configured name is 0, that plugin skips the pod.
 *
 * @throws QuantityError when an amount is no quantity.
 */
export function balancedScoreRequests(pod: Pod): ScoreRequests {
  return toAmounts(podRequestList(pod, { useStatus: true }))
}
