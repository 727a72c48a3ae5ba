import type { Pod } from '@berth/types'

/** Annotation that the kubelet writes on the API object of a static pod. */
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror'

/** Returns why a pod must never be evicted, as the end of a sentence about it; undefined if it may be. */
export function evictionExemption({ metadata }: Pod): string | undefined {
  const { annotations = {}, ownerReferences = [] } = metadata
  if (annotations[MIRROR_ANNOTATION] !== undefined) return 'it is a static pod, which the kubelet would start again'
  const controller = ownerReferences.find((owner) => owner.controller === true)
  if (controller === undefined) return 'it has no controller that would start it elsewhere'
  // Since Kubernetes 1.32, the API object of a static pod is owned by its node.
  if (controller.kind === 'Node') return 'it is a static pod, which the kubelet would start again'
  if (controller.kind === 'DaemonSet') return 'its DaemonSet would start it on the same node again'
  return undefined
}
