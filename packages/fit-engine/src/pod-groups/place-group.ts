import type { Pod } from '@berth/types'
import { annotateForBinding } from '../decide/annotate-for-binding.ts'
import { decide } from '../decide/decide.ts'
import type { Framework } from '../framework/framework.ts'
import type { ClusterState } from '../state/cluster-state.ts'

/** Result of {@link placeGroup}. */
export interface GroupPlacement {
  /** Nodes by position in the list of pods; undefined for a pod that does not fit. */
  readonly nodes: readonly (string | undefined)[]
  /** The message of the first pod that does not fit; empty when all fit. */
  readonly message: string
}

/** Places the members of a group one after the other on a fork of the state, without preemption and extenders. */
export function placeGroup(
  framework: Framework,
  state: ClusterState,
  pods: readonly Pod[],
  options: { readonly nowMs: number; readonly random: () => number },
): GroupPlacement {
  const fork = state.fork()
  let message = ''
  const nodes = pods.map((pod) => {
    const decision = decide(framework, fork, pod, options)
    const [nodeName] = decision.best
    if (nodeName === undefined) message ||= decision.error?.message ?? decision.message
    else {
      fork.clearNomination(pod)
      fork.assume(annotateForBinding(framework, fork, pod, nodeName, options).pod, nodeName)
    }
    return nodeName
  })
  return { nodes, message }
}

/** Orders members as kube-scheduler does: higher priority first, then the pod that was created earlier. */
export function compareMembers(a: Pod, b: Pod): number {
  const priority = (b.spec.priority ?? 0) - (a.spec.priority ?? 0)
  if (priority !== 0) return priority
  const [first, second] = [a, b].map(({ metadata }) => metadata.creationTimestamp ?? '')
  return compareText(first ?? '', second ?? '') || compareText(a.metadata.name ?? '', b.metadata.name ?? '')
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
