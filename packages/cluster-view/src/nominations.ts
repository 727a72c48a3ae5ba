import type { ClusterState } from '@berth/fit-engine'
import { isBound, isTerminal } from '@berth/resources'
import type { Pod } from '@berth/types'
import { podName } from './pod-name.ts'

/**
 * The nodes that waiting pods are nominated for, from the status of the pods and from later decisions of this process.
 */
export interface Nominations {
  /** Applies an observed pod to the state; `old` is its previous version. */
  applyPod(pod: Pod, old?: Pod): void
  /** Reserves the node for the pod before its status names the node. */
  nominate(pod: Pod, nodeName: string): void
  clearNomination(pod: Pod): void
  nominatedNode(pod: Pod): string | undefined
  /** Removes the nomination of a pod that is gone. */
  forget(pod: Pod): void
}

/** Creates an empty set of nominations over `state`. */
export function createNominations(state: ClusterState): Nominations {
  const nodes = new Map<string, string>()
  const uidOf = (pod: Pod): string => pod.metadata.uid ?? podName(pod)
  const nodeInStatus = (pod: Pod): string => pod.status?.nominatedNodeName ?? ''

  const nominate = (pod: Pod, nodeName: string): void => {
    nodes.set(uidOf(pod), nodeName)
    state.nominate(pod, nodeName)
  }
  const clearNomination = (pod: Pod): void => {
    nodes.delete(uidOf(pod))
    state.clearNomination(pod)
  }

  return {
    applyPod(pod, old) {
      state.setPod(pod)
      if (isBound(pod) || isTerminal(pod)) {
        nodes.delete(uidOf(pod))
        return
      }
      // An update from before the status was written does not undo the decision of this process.
      const hasNoNominationInStatus = nodeInStatus(pod) === '' && old !== undefined && nodeInStatus(old) === ''
      const nodeName = hasNoNominationInStatus ? (nodes.get(uidOf(pod)) ?? '') : nodeInStatus(pod)
      if (nodeName === '') clearNomination(pod)
      else nominate(pod, nodeName)
    },
    nominate,
    clearNomination,
    nominatedNode: (pod) => nodes.get(uidOf(pod)),
    forget: (pod) => void nodes.delete(uidOf(pod)),
  }
}
