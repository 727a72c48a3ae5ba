import type { Node, Pod } from '@berth/types'
import { addAmounts, amountsOf, amountText, type Amounts } from './amounts.ts'
import { podNeeds, refusalOf, takesRoom } from './pod-needs.ts'

/** Returns what pods take together. */
export function takenBy(pods: Iterable<Pod>): Amounts {
  const taken = new Map<string, bigint>()
  for (const pod of pods) if (takesRoom(pod)) addAmounts(taken, podNeeds(pod))
  return taken
}

/** Returns which resource of the node the pod exceeds beside what is taken; undefined if it has room. */
export function shortageOn(node: Node, pod: Pod, taken: Amounts): string | undefined {
  const offered = amountsOf(node.status?.allocatable)
  for (const [name, need] of podNeeds(pod)) {
    const used = taken.get(name) ?? 0n
    const room = offered.get(name) ?? 0n
    if (need > 0n && used + need > room) {
      return `${name}: ${amountText(used)} taken + ${amountText(need)} > ${amountText(room)}`
    }
  }
  return undefined
}

/** Returns why the node does not take the pod; undefined if it does. */
export function misfitOn(node: Node, pod: Pod, taken: Amounts): string | undefined {
  return refusalOf(node, pod) ?? shortageOn(node, pod, taken)
}
