import type { ApiObject } from '../../schema/json/api-object.ts'

/** How upstream's refusals name a pod as a whole. */
export const WHOLE_POD = '[]'

/** Whether the pod only mirrors one that a kubelet has from a file. */
export function isStaticPod(pod: ApiObject): boolean {
  return pod.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined
}
