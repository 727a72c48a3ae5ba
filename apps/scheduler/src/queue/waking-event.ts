import type { ClusterChange, ObjectChange } from '@berth/cluster-view'
import { isTerminal } from '@berth/resources'
import type { ClusterObjectKind, Node, Pod } from '@berth/types'

/** What a change of the cluster is to a waiting pod. */
export type WakingEvent =
  | { readonly kind: 'pod-assigned'; readonly pod: Pod }
  | { readonly kind: 'pod-changed'; readonly old: Pod; readonly pod: Pod }
  /** Deleted or ended: what it held is free. */
  | { readonly kind: 'pod-left'; readonly pod: Pod }
  | { readonly kind: 'node-added'; readonly node: Node }
  | { readonly kind: 'node-changed'; readonly old: Node; readonly node: Node }
  | { readonly kind: 'node-deleted'; readonly node: Node }
  /** Something else that filters read. */
  | { readonly kind: 'object'; readonly change: ObjectChange }

/** Answers whether an event may help a pod that one plugin turned away. */
export type Hint = (pod: Pod, event: WakingEvent) => boolean

/** Kinds that filters read. */
const filteredBy: ReadonlySet<ClusterObjectKind> = new Set([
  'namespaces',
  'persistentVolumes',
  'persistentVolumeClaims',
  'storageClasses',
  'csiNodes',
  'csiDrivers',
  'csiStorageCapacities',
  'volumeAttachments',
  'deviceClasses',
])

/**
 * Reads a change as a waking event.
 *
 * @returns Undefined for changes that help nobody: those of pods that hold no node, and of objects that only scores
 * and preemption read.
 */
export function wakingEvent(change: ClusterChange): WakingEvent | undefined {
  switch (change.kind) {
    case 'node-added':
      return { kind: 'node-added', node: change.node }
    case 'node-deleted':
      return { kind: 'node-deleted', node: change.node }
    case 'node-updated':
      return change.old === undefined
        ? { kind: 'node-added', node: change.node }
        : { kind: 'node-changed', old: change.old, node: change.node }
    case 'pod-added':
      return holdsNode(change.pod) ? { kind: 'pod-assigned', pod: change.pod } : undefined
    case 'pod-deleted':
      return holdsNode(change.pod) || isNominated(change.pod) ? { kind: 'pod-left', pod: change.pod } : undefined
    case 'pod-updated': {
      const { pod, old } = change
      const isHolding = holdsNode(pod)
      if (old === undefined || !holdsNode(old)) {
        if (isHolding) return { kind: 'pod-assigned', pod }
        const lostNomination = old !== undefined && isNominated(old) && !isNominated(pod)
        return lostNomination ? { kind: 'pod-left', pod: old } : undefined
      }
      return isHolding ? { kind: 'pod-changed', old, pod } : { kind: 'pod-left', pod: old }
    }
    case 'object-added':
    case 'object-updated':
    case 'object-deleted':
      return filteredBy.has(change.resource) ? { kind: 'object', change } : undefined
  }
}

function holdsNode(pod: Pod): boolean {
  return pod.spec.nodeName !== undefined && pod.spec.nodeName !== '' && !isTerminal(pod)
}

function isNominated(pod: Pod): boolean {
  return (pod.status?.nominatedNodeName ?? '') !== ''
}
