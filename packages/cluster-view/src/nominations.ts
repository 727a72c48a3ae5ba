import type { ClusterState } from '@berth/fit-engine'
import { isTerminal } from '@berth/resources'
import type { Pod } from '@berth/types'
import { podName } from './pod-name.ts'

/** Nodes that are kept free for waiting pods: what their status says, and what this process decided since. */
export interface Nominations {
  /** Brings a pod that was seen, with its earlier form, to the state. */
  place(pod: Pod, old?: Pod): void
  /** Keeps the node free for the pod before its status says so. */
  nominate(pod: Pod, nodeName: string): void
  clearNomination(pod: Pod): void
  nodeOf(pod: Pod): string | undefined
  /** The pod is gone. */
  drop(pod: Pod): void
}

/** Makes an empty set of nominations over `state`. */
export function createNominations(state: ClusterState): Nominations {
  const nodes = new Map<string, string>()
  const keyOf = (pod: Pod): string => pod.metadata.uid ?? podName(pod)
  const said = (pod: Pod): string => pod.status?.nominatedNodeName ?? ''

  const nominate = (pod: Pod, nodeName: string): void => {
    nodes.set(keyOf(pod), nodeName)
    state.nominate(pod, nodeName)
  }
  const clearNomination = (pod: Pod): void => {
    nodes.delete(keyOf(pod))
    state.clearNomination(pod)
  }

  return {
    place(pod, old) {
      state.setPod(pod)
      if ((pod.spec.nodeName ?? '') !== '' || isTerminal(pod)) {
        nodes.delete(keyOf(pod))
        return
      }
      // News of the pod from before its status was written does not take back what this process decided.
      const isSilent = said(pod) === '' && old !== undefined && said(old) === ''
      const nodeName = isSilent ? (nodes.get(keyOf(pod)) ?? '') : said(pod)
      if (nodeName === '') clearNomination(pod)
      else nominate(pod, nodeName)
    },
    nominate,
    clearNomination: clearNomination,
    nodeOf: (pod) => nodes.get(keyOf(pod)),
    drop: (pod) => void nodes.delete(keyOf(pod)),
  }
}
