import type { ClusterReader, Node, Pod } from '@berth/types'
import type { ClusterObjects } from './cluster-objects.ts'

/**
 * The cluster as the engine sees it: nodes, placed pods (bound or assumed), nominations and the other objects that
 * decisions read. Nodes and pods may be set and deleted in any order; only the final content matters. A pod whose node
 * is unknown is kept and takes up resources once the node is set. A pod is identified by its uid, or by namespace/name
 * if it has no uid.
 */
export interface ClusterState extends ClusterReader {
  /** Grows with every change, except with changes of `objects`. */
  readonly generation: number
  readonly nodeCount: number
  /** Namespaces, services, volumes and the other objects that filters and scores read. */
  readonly objects: ClusterObjects
  /** Returns the node names in kube-scheduler's order: one zone after the other, and within a zone by insertion. */
  nodeNames(): readonly string[]
  /** Returns the row of the node, or undefined for an unknown node. */
  rowOf(nodeName: string): number | undefined
  /**
   * Adds the node, or replaces it.
   *
   * @throws StateError BERTH_FIT_UNREADABLE when the node cannot be read, for example because an amount is not a
   * quantity. The state does not change then.
   */
  setNode(node: Node): void
  /** Removes the node. Its pods stay until they are deleted. */
  deleteNode(name: string): void
  /**
   * Adds the pod, or replaces it. Only a pod that has a node and has not ended is placed; a pod that has ended is
   * removed. A bound pod that was assumed confirms the assumption, whichever node it is bound to.
   *
   * @throws StateError BERTH_FIT_UNREADABLE when the pod cannot be read, for example because an amount is not a
   * quantity. The state does not change then.
   */
  setPod(pod: Pod): void
  deletePod(pod: Pod): void
  /** Returns the placed pods, assumed pods included. */
  pods(): Iterable<Pod>
  /** Returns the placed pod with the same identity as `pod` and its node, or undefined. */
  placementOf(pod: Pod): { readonly pod: Pod; readonly nodeName: string; readonly isAssumed: boolean } | undefined
  /**
   * Places the pod on the node before the API server has bound it.
   *
   * @throws StateError BERTH_FIT_ASSUMED_TWICE when the pod is already placed, BERTH_FIT_UNREADABLE when it cannot be
   * read. The state does not change then.
   */
  assume(pod: Pod, nodeName: string): void
  /** Removes an assumed pod. Does nothing for a pod that is not assumed, or no longer. */
  forget(pod: Pod): void
  isAssumed(pod: Pod): boolean
  /**
   * Reserves room on the node for a pending pod, against pods of lower priority.
   *
   * @throws StateError BERTH_FIT_UNREADABLE when the pod cannot be read. The state does not change then.
   */
  nominate(pod: Pod, nodeName: string): void
  clearNomination(pod: Pod): void
  /** Returns the pending pods that the node is nominated for. */
  nominatedPods(nodeName: string): readonly Pod[]
  /** Returns an independent copy for what-if questions. Neither copy sees later changes of the other. */
  fork(): ClusterState
}
