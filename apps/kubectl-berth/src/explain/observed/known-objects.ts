import type { ClusterSnapshot } from '@berth/cluster-view'
import { objectKey } from '@berth/fit-engine'
import type { KnownObjects } from './find-obstacles.ts'

/** Looks objects up in a snapshot. What this user may not list is not known. */
export function knownObjects({ nodes, state, forbidden }: ClusterSnapshot): KnownObjects {
  return {
    hasNode: (name) => nodes.has(name),
    hasClaim: (namespace, name) =>
      forbidden.includes('persistentvolumeclaims')
        ? undefined
        : state.objects.get('persistentVolumeClaims', objectKey({ namespace, name })) !== undefined,
  }
}
