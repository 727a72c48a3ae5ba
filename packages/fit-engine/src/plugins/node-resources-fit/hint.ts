import { boundPodRequest, podRequest, resourceAmounts } from '@berth/resources'
import type { Pod } from '@berth/types'
import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { isEqualJson } from '../cluster-events/is-equal-json.ts'
import { unitsOf } from './units-of.ts'

function requestedUnits(pod: Pod): ReadonlyMap<string, bigint> {
  return new Map([...unitsOf(podRequest(pod))].filter(([, units]) => units > 0n))
}

/** Returns whether the pod would fit a node with nothing else on it; only the resources are compared. */
function fitsEmpty(pod: Pod, allocatable: ReadonlyMap<string, bigint>): boolean {
  for (const [name, units] of requestedUnits(pod)) if (units > (allocatable.get(name) ?? 0n)) return false
  return true
}

/**
 * Returns whether a node may have more free units for the pod: the node was added, its allocatable grew, a pod left it,
 * or a pod on it was resized to less.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/fit.go EventsToRegister (v1.36)
 */
export const nodeResourcesFitHint: QueueingHint = (pod, event) => {
  switch (event.kind) {
    case 'pod-left':
      return true
    case 'pod-changed': {
      if (event.old.spec === event.pod.spec && event.old.status === event.pod.status) return false
      const before = unitsOf(boundPodRequest(event.old))
      const after = unitsOf(boundPodRequest(event.pod))
      return [...requestedUnits(pod).keys()].some((name) => (after.get(name) ?? 0n) < (before.get(name) ?? 0n))
    }
    case 'node-added':
      return fitsEmpty(pod, resourceAmounts(event.node.status?.allocatable))
    case 'node-changed': {
      if (isEqualJson(event.old.status?.allocatable, event.node.status?.allocatable)) return false
      const before = resourceAmounts(event.old.status?.allocatable)
      const after = resourceAmounts(event.node.status?.allocatable)
      const grew = (name: string): boolean => (after.get(name) ?? 0n) > (before.get(name) ?? 0n)
      return fitsEmpty(pod, after) && (grew('pods') || [...requestedUnits(pod).keys()].some(grew))
    }
    case 'pod-assigned':
    case 'node-deleted':
    case 'object':
      return false
  }
}
