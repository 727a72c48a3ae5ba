import type { ClusterReader, Node, Pod } from '@berth/types'
import type { ClusterObjects } from './cluster-objects.ts'

/**
 * What the engine knows of the cluster: nodes, the pods that count on them, assumptions and nominations. Nodes and
 * pods may come and go in any order; only what is there in the end matters. Pods of a node that is not known (yet)
 * are kept and count as soon as it appears. A pod is known by its uid, or by namespace/name where it has none.
 */
export interface ClusterState extends ClusterReader {
  /** Grows with every change. */
  readonly generation: number
  readonly nodeCount: number
  /** Namespaces, services, volumes and what else filters read. Its changes do not count in `generation` here. */
  readonly objects: ClusterObjects
  /** Names of the nodes in kube-scheduler's order: zones in turn, within a zone as the nodes came. */
  nodeNames(): readonly string[]
  /** The row of a known node; undefined where the node is not known. */
  rowOf(nodeName: string): number | undefined
  /**
   * Adds the node, or replaces what is known of it.
   *
   * @throws StateError BERTH_FIT_UNREADABLE when it cannot be read, as an amount that is no quantity; nothing changes
   * then.
   */
  setNode(node: Node): void
  /** Removes the node; its pods stay until they are deleted. */
  deleteNode(name: string): void
  /**
   * Adds the pod, or replaces what is known of it. Only a pod that has a node and did not end counts; one that ended
   * is removed. The bound form of an assumed pod confirms the assumption, on whichever node it names.
   *
   * @throws StateError BERTH_FIT_UNREADABLE when it cannot be read, as an amount that is no quantity; nothing changes
   * then.
   */
  setPod(pod: Pod): void
  deletePod(pod: Pod): void
  /** Pods that count on a node, assumed ones included. */
  pods(): Iterable<Pod>
  /** The pod that counts under the uid (or namespace/name) of `pod`, and where. */
  placementOf(pod: Pod): { readonly pod: Pod; readonly nodeName: string; readonly isAssumed: boolean } | undefined
  /**
   * Lets the pod count on the node before the API server knows.
   *
   * @throws StateError BERTH_FIT_ASSUMED_TWICE when the pod already counts somewhere, BERTH_FIT_UNREADABLE when it
   * cannot be read; nothing changes then.
   */
  assume(pod: Pod, nodeName: string): void
  /** Takes an assumption back; does nothing when the pod is not assumed (any more). */
  forget(pod: Pod): void
  isAssumed(pod: Pod): boolean
  /**
   * Reserves the node for a waiting pod, against pods of lower priority.
   *
   * @throws StateError BERTH_FIT_UNREADABLE when it cannot be read; nothing changes then.
   */
  nominate(pod: Pod, nodeName: string): void
  clearNomination(pod: Pod): void
  /** Waiting pods nominated for the node. */
  nominatedPods(nodeName: string): readonly Pod[]
  /** An independent copy for what-if questions; neither sees the later changes of the other. */
  fork(): ClusterState
}
