import { isExtendedResourceName, podRequest, resourceAmounts } from '@berth/resources'
import type { Node, Pod } from '@berth/types'

/** Why a kubelet turns a pod away. */
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
 * Checks that the node has room for a pod beside those that it already admitted. An extended resource that the node
 * does not name at all is not the node's business.
 *
 * @returns undefined when it fits, else the first shortage
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

/** Allocatable of a node in whole units, cpu in milli. */
export function allocatableAmounts(node: Node): ReadonlyMap<string, bigint> {
  return resourceAmounts(node.status?.allocatable)
}
