import { isConfigMapChange, type ClusterChange, type ConfigMapChange, type ObjectChange } from '@berth/cluster-view'
import type { ClusterEvent } from '@berth/fit-engine'
import { isBound, isTerminal } from '@berth/resources'
import type { ClusterObjectKind, Pod } from '@berth/types'

/** Kinds of objects that filters read. */
const kindsReadByFilters: ReadonlySet<ClusterObjectKind> = new Set([
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

/** Returns whether the change may help a pod that was rejected. */
export function mayHelpPods(change: ClusterChange): boolean {
  return isConfigMapChange(change) || clusterEventOf(change) !== undefined
}

/**
 * Converts a change to the event that queueing hints receive.
 *
 * @returns Undefined for a change that cannot help a pod: of a pod without a node, or of an object that only scores and
 * preemption read. Also for a ConfigMap, which queueing hints do not receive.
 */
export function clusterEventOf(change: ClusterChange): ClusterEvent | undefined {
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
        return old !== undefined && isNominated(old) && nominatedNode(old) !== nominatedNode(pod)
          ? { kind: 'pod-left', pod: old }
          : undefined
      }
      return isHolding ? { kind: 'pod-changed', old, pod } : { kind: 'pod-left', pod: old }
    }
    case 'object-added':
    case 'object-updated':
    case 'object-deleted':
      return isConfigMapChange(change) || !kindsReadByFilters.has(change.resource) ? undefined : objectEvent(change)
  }
}

function objectEvent({ kind, ...change }: Exclude<ObjectChange, ConfigMapChange>): ClusterEvent {
  return { ...change, kind: 'object', metadata: change.object.metadata, isDeleted: kind === 'object-deleted' }
}

function holdsNode(pod: Pod): boolean {
  return isBound(pod) && !isTerminal(pod)
}

function isNominated(pod: Pod): boolean {
  return nominatedNode(pod) !== ''
}

function nominatedNode({ status }: Pod): string {
  return status?.nominatedNodeName ?? ''
}
