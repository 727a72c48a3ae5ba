import type { ApiObject } from '../../schema/json/api-object.ts'

/** The field path of a whole pod in upstream's errors. */
export const POD_ROOT = '[]'

/** Returns whether the pod is the mirror of a static pod, which a kubelet runs from a file. */
export function isStaticPod(pod: ApiObject): boolean {
  return pod.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined
}
