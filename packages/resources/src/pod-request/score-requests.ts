import type { Pod } from '@berth/types'
import { podRequestList } from './pod-request-list.ts'
import { scoringDefaultRequests } from './pod-request.ts'
import { toAmounts } from '../quantity/resource-amounts.ts'

/** Amount by resource name in whole units, cpu in milli; an absent name is 0. */
export type ScoreRequests = ReadonlyMap<string, bigint>

/**
 * Returns the pod's request as the NodeResourcesFit score uses it (v1.36): with default cpu and memory for containers
 * that request none, without pod-level requests and without the status.
 *
 * @throws QuantityError when an amount is not a quantity.
 */
export function fitScoreRequests(pod: Pod): ScoreRequests {
  return toAmounts(podRequestList(pod, { skipPodLevel: true, absentRequests: scoringDefaultRequests }))
}

/**
 * Returns the pod's request as NodeResourcesBalancedAllocation uses it (v1.36): without defaults, with pod-level
 * requests and the status. That plugin skips a pod whose request is 0 for every configured resource.
 *
 * @throws QuantityError when an amount is not a quantity.
 */
export function balancedScoreRequests(pod: Pod): ScoreRequests {
  return toAmounts(podRequestList(pod, { useStatus: true }))
}
