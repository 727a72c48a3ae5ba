import { isListed, type ClusterSnapshot } from '@berth/cluster-view'
import { objectKey } from '@berth/fit-engine'
import type { KnownObjects } from './find-obstacles.ts'

/** Looks objects up in a snapshot. What this user may not list is not known. */
export function knownObjects(snapshot: ClusterSnapshot): KnownObjects {
  const { nodes, state } = snapshot
  return {
    hasNode: (name) => (isListed(snapshot, 'nodes') ? nodes.has(name) : undefined),
    hasClaim: (namespace, name) =>
      isListed(snapshot, 'persistentvolumeclaims', namespace)
        ? state.objects.get('persistentVolumeClaims', objectKey({ namespace, name })) !== undefined
        : undefined,
  }
}
