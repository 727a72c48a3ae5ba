import { resourceAmounts } from '@berth/resources'
import type { Node, Pod } from '@berth/types'
import { assertCorrect } from '../../measurement.ts'
import { isMeasuredPod, ZONES } from '../race-cluster.ts'

/**
 * Checks that every measured pod has a node, and that the pods on each node fit its allocatable amounts.
 *
 * @param expected - Number of measured pods.
 * @throws WrongResultError when one of these does not hold.
 */
export function checkPlacement(nodes: readonly Node[], pods: readonly Pod[], expected: number): void {
  const placed = pods.filter(({ metadata, spec }) => isMeasuredPod(metadata.name) && spec.nodeName !== undefined)
  assertCorrect(placed.length === expected, `${placed.length} of ${expected} pods have a node`)
  const free = new Map(
    nodes.map(({ metadata, status }) => [metadata.name, new Map(resourceAmounts(status?.allocatable))]),
  )
  for (const { metadata, spec } of pods) {
    if (spec.nodeName === undefined) continue
    const here = free.get(spec.nodeName)
    assertCorrect(here !== undefined, `pod ${metadata.name} is on ${spec.nodeName}, which does not exist`)
    for (const [resource, amount] of requestsOf(spec)) here.set(resource, (here.get(resource) ?? 0n) - amount)
  }
  for (const [node, amounts] of free) {
    for (const [resource, left] of amounts)
      assertCorrect(left >= 0n, `${node} is over its capacity: ${-left} too many of ${resource}`)
  }
}

/** Returns the sum of the containers' requests, and the pod itself as one of the resource `pods`. */
function requestsOf({ containers }: Pod['spec']): ReadonlyMap<string, bigint> {
  const sum = new Map([['pods', 1n]])
  for (const { resources } of containers) {
    for (const [resource, amount] of resourceAmounts(resources?.requests))
      sum.set(resource, (sum.get(resource) ?? 0n) + amount)
  }
  return sum
}

/**
 * Checks that the numbers of pods in the zones differ by at most `maxSkew`.
 *
 * @throws WrongResultError when they differ by more.
 */
export function checkSpread(pods: readonly Pod[], maxSkew: number): void {
  const counts = Array.from({ length: ZONES }, () => 0)
  for (const { spec } of pods) {
    if (spec.nodeName === undefined) continue
    const zone = Number(spec.nodeName.slice('node-'.length)) % ZONES
    counts[zone] = (counts[zone] ?? 0) + 1
  }
  const skew = Math.max(...counts) - Math.min(...counts)
  assertCorrect(skew <= maxSkew, `the zones hold ${counts.join(', ')} pods`)
}
