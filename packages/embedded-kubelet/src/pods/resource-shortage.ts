import { isExtendedResourceName, podRequest, resourceAmounts } from '@berth/resources'
import type { Node, Pod } from '@berth/types'

/** Why the kubelet rejects a pod. */
export interface AdmissionFailure {
  /** `OutOfcpu`, `OutOfexample.com/dongle`, `UnexpectedAdmissionError`, … */
  readonly reason: string
  readonly message: string
}

function requestedAmounts(pod: Pod): ReadonlyMap<string, bigint> {
  const { milliCpu, memory, ephemeralStorage, scalar } = podRequest(pod)
  return new Map([['cpu', milliCpu], ['memory', memory], ['ephemeral-storage', ephemeralStorage], ...scalar])
}

/**
 * Checks that a node has room for a pod next to the pods that it admitted before. Extended resources that the node does
 * not have are ignored.
 *
 * @returns The first shortage; undefined when the pod fits.
 * @see kubernetes/kubernetes pkg/kubelet/lifecycle/predicate.go (v1.36)
 */
export function resourceShortage(
  pod: Pod,
  others: readonly Pod[],
  allocatable: ReadonlyMap<string, bigint>,
): AdmissionFailure | undefined {
  const used = new Map<string, bigint>()
  for (const other of others) {
    for (const [name, amount] of requestedAmounts(other)) used.set(name, (used.get(name) ?? 0n) + amount)
  }
  const short = (name: string, requested: bigint, taken: bigint, capacity: bigint): AdmissionFailure => ({
    reason: `OutOf${name}`,
    message: `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${taken}, capacity: ${capacity}`,
  })

  const podSlots = allocatable.get('pods') ?? 0n
  if (BigInt(others.length) + 1n > podSlots) return short('pods', 1n, BigInt(others.length), podSlots)
  for (const [name, requested] of requestedAmounts(pod)) {
    const capacity = allocatable.get(name)
    if (requested === 0n || (capacity === undefined && isExtendedResourceName(name))) continue
    const taken = used.get(name) ?? 0n
    if (requested > (capacity ?? 0n) - taken) return short(name, requested, taken, capacity ?? 0n)
  }
  return undefined
}

/** Returns the allocatable amounts of a node: CPU in millicores, all others in whole units. */
export function allocatableAmounts(node: Node): ReadonlyMap<string, bigint> {
  return resourceAmounts(node.status?.allocatable)
}
