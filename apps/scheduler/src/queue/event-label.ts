import type { ClusterChange } from '@berth/cluster-view'
import { isBound } from '@berth/resources'

/** kube-scheduler's names of the kinds whose changes requeue pods. */
const kindNames: Readonly<Record<string, string>> = {
  persistentVolumes: 'PersistentVolume',
  persistentVolumeClaims: 'PersistentVolumeClaim',
  storageClasses: 'StorageClass',
  csiNodes: 'CSINode',
  csiDrivers: 'CSIDriver',
  csiStorageCapacities: 'CSIStorageCapacity',
  volumeAttachments: 'VolumeAttachment',
  deviceClasses: 'DeviceClass',
  namespaces: 'Namespace',
  configMaps: 'ConfigMap',
}

/** Returns kube-scheduler's label of a change, including changes of pods without a node. */
export function handledEventLabel(change: ClusterChange): string {
  const isPodChange = change.kind === 'pod-added' || change.kind === 'pod-updated' || change.kind === 'pod-deleted'
  if (!isPodChange || isBound(change.pod)) return eventLabel(change)
  const actions = { 'pod-added': 'Add', 'pod-updated': 'Update', 'pod-deleted': 'Delete' } as const
  return `UnschedulablePod${actions[change.kind]}`
}

/**
 * Returns kube-scheduler's label of an event that requeues pods: `NodeAdd`, `AssignedPodDelete`. An update has the general
 * label, which does not say what changed.
 *
 * @see kubernetes/kubernetes staging/src/k8s.io/kube-scheduler/framework/types.go ClusterEvent.Label (v1.36)
 */
export function eventLabel(change: ClusterChange): string {
  switch (change.kind) {
    case 'node-added':
      return 'NodeAdd'
    case 'node-updated':
      return change.old === undefined ? 'NodeAdd' : 'NodeUpdate'
    case 'node-deleted':
      return 'NodeDelete'
    case 'pod-added':
      return 'AssignedPodAdd'
    case 'pod-updated':
      return change.old !== undefined && isBound(change.old) ? 'AssignedPodUpdate' : 'AssignedPodAdd'
    case 'pod-deleted':
      return 'AssignedPodDelete'
    case 'object-added':
      return `${kindNames[change.resource] ?? change.resource}Add`
    case 'object-updated':
      return `${kindNames[change.resource] ?? change.resource}Update`
    case 'object-deleted':
      return `${kindNames[change.resource] ?? change.resource}Delete`
  }
}
