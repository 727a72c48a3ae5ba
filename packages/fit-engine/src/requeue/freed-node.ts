import { boundPodRequest, resourceAmounts } from '@berth/resources'
import type { ClusterEvent } from '../framework/queueing-hint.ts'
import { isEqualJson } from '../plugins/cluster-events/is-equal-json.ts'
import { unitsOf } from '../plugins/node-resources-fit/units-of.ts'

/** Returns the node on which the event leaves more room: the only one on which it can help a pod that lacks room. */
export function freedNode(event: ClusterEvent): string | undefined {
  switch (event.kind) {
    case 'node-added':
      return event.node.metadata.name
    case 'node-changed': {
      const { old, node } = event
      if (isEqualJson(old.status?.allocatable, node.status?.allocatable)) return undefined
      return grows(resourceAmounts(old.status?.allocatable), resourceAmounts(node.status?.allocatable))
        ? node.metadata.name
        : undefined
    }
    case 'pod-left': {
      const { spec, status } = event.pod
      // The room of a nominated pod was reserved.
      return (spec.nodeName ?? '') === '' ? status?.nominatedNodeName : spec.nodeName
    }
    case 'pod-changed': {
      const { old, pod } = event
      if (isEqualJson(old.spec, pod.spec) && isEqualJson(old.status, pod.status)) return undefined
      return grows(unitsOf(boundPodRequest(pod)), unitsOf(boundPodRequest(old))) ? pod.spec.nodeName : undefined
    }
    case 'pod-assigned':
    case 'node-deleted':
    case 'object':
      return undefined
  }
}

function grows(before: ReadonlyMap<string, bigint>, after: ReadonlyMap<string, bigint>): boolean {
  for (const [name, amount] of after) if (amount > (before.get(name) ?? 0n)) return true
  return false
}
