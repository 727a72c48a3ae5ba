import type { Pod } from '@berth/types'

/** A pod that needs a node. */
export interface WaitingPod {
  /** Without its node. */
  readonly pod: Pod
  /** Its node in the cluster; undefined while it is pending. */
  readonly nodeNow: string | undefined
  /** Whether the user recreates it, with other requests. */
  readonly isChanged: boolean
}

/** Returns a pod as it is when it has lost its node. */
export function displacedPod(pod: Pod): WaitingPod {
  const { nodeName, ...spec } = pod.spec
  return { pod: { ...pod, spec }, nodeNow: nodeName, isChanged: false }
}

/** Returns whether a pod belongs to its node: a mirror pod, or a pod of a DaemonSet. */
export function isNodeBound({ metadata }: Pod): boolean {
  const isMirror = metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined
  return isMirror || (metadata.ownerReferences ?? []).some(({ kind }) => kind === 'DaemonSet')
}
