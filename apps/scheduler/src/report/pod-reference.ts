import type { ObjectReference, Pod } from '@berth/types'

/** Returns the reference to a pod for events. */
export function podReference(pod: Pod): ObjectReference {
  const { name, namespace, uid, resourceVersion } = pod.metadata
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  }
}
