import type { Pod } from '@berth/types'

/** A pod that has a node and waits for permit plugins. Mirrors kube-scheduler's WaitingPod (v1.36). */
export interface WaitingPod {
  readonly pod: Pod
  readonly nodeName: string
  /** Names of the plugins that have neither allowed nor rejected the pod. */
  pendingPlugins(): readonly string[]
  /**
   * Ends the wait for the calling plugin. The pod is bound once no other plugin delays it. Does nothing when the plugin
   * does not delay the pod.
   */
  allow(): void
  /**
   * Ends the wait: the pod is unschedulable, its node is free for others, and unreserve hooks run.
   *
   * @param reason - The message of the pod's event and condition.
   * @returns False when the pod no longer waits.
   */
  reject(reason: string): boolean
}

/** The pods of a scheduler that wait for permit plugins. A plugin sees the pods that other plugins delay as well. */
export interface WaitingPods {
  /** Returns the waiting pods, the longest waiting first. A pod is not in the list during the call of its own permit hook. */
  list(): readonly WaitingPod[]
  /** Returns the waiting pod with this uid. */
  get(uid: string): WaitingPod | undefined
}
