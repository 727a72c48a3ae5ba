import type { Pod } from '@berth/types'
import { isBound } from './is-bound.ts'
import { isTerminal } from './is-terminal.ts'
import { boundPodRequest } from './pod-request.ts'

/** A pod on a node that uses units of an extended resource. */
export interface ResourceUser {
  /** `namespace/name`. */
  readonly name: string
  readonly units: bigint
}

/**
 * Returns the pods that use units of an extended resource, sorted by name: those that have a node and have not ended.
 *
 * @throws QuantityError when an amount of such a pod is not a quantity.
 */
export function resourceUsers(pods: readonly Pod[], resourceName: string): readonly ResourceUser[] {
  return pods
    .filter((pod) => isBound(pod) && !isTerminal(pod))
    .map((pod) => ({
      name: `${pod.metadata.namespace ?? 'default'}/${pod.metadata.name ?? ''}`,
      units: boundPodRequest(pod).scalar.get(resourceName) ?? 0n,
    }))
    .filter(({ units }) => units > 0n)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
